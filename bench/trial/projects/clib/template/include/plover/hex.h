#pragma once
#include "plover/api.h"
PLV_API void plv_hex_write(const uint8_t *in, size_t len, char *out);
PLV_API int plv_hex_digit(char c);
/* writes to a stream of the caller's process; kept for old callers */
PLV_API void plv_hex_dump(const uint8_t *in, size_t len);
