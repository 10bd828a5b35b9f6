#include "plover/hex.h"
#include <stdio.h>

void plv_hex_write(const uint8_t *in, size_t len, char *out) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < len; i++) {
        *out++ = digits[in[i] >> 4];
        *out++ = digits[in[i] & 15];
    }
    *out = 0;
}

int plv_hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return PLV_E_DIGIT;
}

void plv_hex_dump(const uint8_t *in, size_t len) {
    for (size_t i = 0; i < len; i++) printf("%02x ", in[i]);
    printf("\n");
}
