#include "fx.h"
#include "plover/varint.h"
int main(int argc, char **argv) {
    char text[64];
    uint8_t buf[5];
    uint32_t v = 0;
    fx_get(argv[1], "varint.txt", text, sizeof text);
    CHECK(plv_varint_write((uint32_t)atoi(text), buf, sizeof buf) == 2);
    CHECK(plv_varint_read(buf, 2, &v) == 2 && v == 300);
    CHECK(plv_varint_read(buf, 1, &v) == PLV_E_SHORT);
    return 0;
}
