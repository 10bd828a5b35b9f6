#include "fx.h"
#include "plover/crc.h"
int main(int argc, char **argv) {
    char text[64];
    size_t n = fx_get(argv[1], "crc.txt", text, sizeof text);
    CHECK(plv_crc16((const uint8_t *)text, n) == 0x29b1);
    return 0;
}
