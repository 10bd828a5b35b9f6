#pragma once
#include "plover/api.h"
typedef struct {
    uint8_t *bytes;
    size_t size, head, used;
} plv_ring;
PLV_API void plv_ring_init(plv_ring *r, uint8_t *bytes, size_t size);
PLV_API int plv_ring_put(plv_ring *r, uint8_t byte);
PLV_API int plv_ring_get(plv_ring *r, uint8_t *out);
