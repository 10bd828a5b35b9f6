#pragma once
#include "plover/api.h"
typedef struct {
    const uint8_t *at;
    size_t len;
} plv_slice;
PLV_API plv_slice plv_slice_of(const char *text);
PLV_API int plv_slice_find(plv_slice s, uint8_t byte, size_t *where);
