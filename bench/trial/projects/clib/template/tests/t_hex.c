#include "fx.h"
#include "plover/hex.h"
int main(int argc, char **argv) {
    char text[64], out[129];
    size_t n = fx_get(argv[1], "hex.txt", text, sizeof text);
    plv_hex_write((const uint8_t *)text, n, out);
    CHECK(!strcmp(out, "706c6f766572"));
    CHECK(plv_hex_digit('F') == 15 && plv_hex_digit('g') == PLV_E_DIGIT);
    return 0;
}
