#include "plover/varint.h"

size_t plv_varint_size(uint32_t value) {
    size_t n = 1;
    while (value >>= 7) n++;
    return n;
}

int plv_varint_write(uint32_t value, uint8_t *out, size_t room) {
    size_t n = plv_varint_size(value);
    if (n > room) return PLV_E_FULL;
    for (size_t i = 0; i < n; i++, value >>= 7) out[i] = (value & 127) | (i + 1 < n ? 128 : 0);
    return (int)n;
}

int plv_varint_read(const uint8_t *in, size_t len, uint32_t *value) {
    uint32_t v = 0;
    for (size_t i = 0; i < len && i < 5; i++) {
        v |= (uint32_t)(in[i] & 127) << (7 * i);
        if (in[i] < 128) {
            *value = v;
            return (int)i + 1;
        }
    }
    return PLV_E_SHORT;
}
