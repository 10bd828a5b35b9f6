#pragma once
#include "plover/api.h"
PLV_API size_t plv_varint_size(uint32_t value);
PLV_API int plv_varint_write(uint32_t value, uint8_t *out, size_t room);
/* returns the bytes read, or a code */
PLV_API int plv_varint_read(const uint8_t *in, size_t len, uint32_t *value);
