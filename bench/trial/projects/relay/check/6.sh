#!/bin/bash
. "$(dirname "$0")/lib.sh"
common wren WR2-A 0438.add Plover/1 asp_sum asp_code
has gen/asp_dwarf.h "ASP_ROW(44, 0x01, 0x02, 1, 7)"
has gen/asp_dwarf.h "ASP_DWARF_CREEP"
grep -q "0x12.*LIST" docs/bus.md || miss "docs/bus.md does not have LIST"
common_c='
#include <string.h>
#include "unit.h"
static int ask(const char *load, int span, uint8_t *out) {
    uint8_t f[12] = {1, BUS_LIST, span}, crc = 0; int r = 0;
    memcpy(f + 3, load, span); bus_feed(0x7E);
    for (int i = 0; i < 3 + span; i++) { crc = bus_crc(crc, f[i]); bus_feed(f[i]); }
    r = bus_feed(crc); return r ? (int)bus_reply(out) : -1;
}
static int good(const uint8_t *o, int n) { uint8_t c = 0; for (int i = 1; i < n - 1; i++) c = bus_crc(c, o[i]); return c == o[n-1]; }
'
hidden WREN <<C
$common_c
TEST(list) {
    uint8_t o[32];
    CHECK(BUS_LIST == 0x12); CHECK(asp_sum() == 5); CHECK(asp_code(0) == 40 && asp_code(4) == 44 && asp_code(5) == 0 && asp_code(255) == 0);
    CHECK(ask("\\0", 1, o) == 10 && o[2] == 0x92 && o[3] == 5 && !memcmp(o + 4, "\\5\\50\\51\\52\\53", 5) && good(o, 10));
    CHECK(ask("\\3", 1, o) == 8 && o[3] == 3 && !memcmp(o + 4, "\\5\\53\\54", 3) && good(o, 8));
    CHECK(ask("\\5", 1, o) == 6 && o[3] == 1 && o[4] == 5);
    CHECK(ask("\\377", 1, o) == 6 && o[3] == 1 && o[4] == 5);
    CHECK(ask("", 0, o) == 6 && o[2] == 0xFF && o[4] == 0x12);
    CHECK(ask("\\0\\0", 2, o) == 6 && o[2] == 0xFF && o[4] == 0x12);
}
TEST(creep) { CHECK(asp_show(44) == 0); asp_tick(0); CHECK(rly_comb() == 3); asp_tick(400); CHECK(rly_comb() == 1); }
C
hidden HERON <<C
$common_c
TEST(list) {
    uint8_t o[32];
    CHECK(asp_sum() == 12);
    CHECK(ask("\\6", 1, o) == 10 && !memcmp(o + 4, "\\14\\7\\10\\24\\25", 5));
}
C
finish
