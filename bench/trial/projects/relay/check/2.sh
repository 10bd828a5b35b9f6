#!/bin/bash
. "$(dirname "$0")/lib.sh"
common finch FN4-B 0421.add Pipit/4 asp_stricter
make -s size UNIT=heron >$tmp/o 2>&1 || miss "size: $(cat $tmp/o)"
has gen/asp_main.h "ASP_ROW(9, 0x00, 0x02, 2, 4)"
has gen/asp_main.h "ASP_ROW(10, 0x08, 0x04, 1, 7)"
has gen/asp_main.h "ASP_MAIN_WARNING"
has gen/asp_main.h "ASP_MAIN_RELEASE"
hidden FINCH <<'C'
#include "unit.h"
TEST(strict) {
    CHECK(asp_stricter(1, 2) == 1); CHECK(asp_stricter(8, 2) == 2); CHECK(asp_stricter(9, 5) == 5);
    CHECK(asp_stricter(10, 3) == 3); CHECK(asp_stricter(10, 7) == 10);
    CHECK(asp_stricter(6, 9) == 9); CHECK(asp_stricter(4, 4) == 4);
    CHECK(asp_stricter(99, 8) == 8); CHECK(asp_stricter(8, 0) == 8); CHECK(asp_stricter(99, 98) == 0);
}
TEST(lamps) {
    CHECK(asp_show(10) == 0); asp_tick(0); CHECK(rly_comb() == 0x0C); asp_tick(400); CHECK(rly_comb() == 0x08);
    CHECK(asp_show(9) == 0); asp_tick(0); CHECK(rly_comb() == 0x02); asp_tick(200); CHECK(rly_comb() == 0);
    CHECK(asp_stricter(1, 8) == 1); CHECK(asp_shown() == 9);
}
C
# no two aspects of main share a rank; the wren has none either, so change the table
sed -i 's/ASP_ROW(9, 0x00, 0x02, 2, 4)/ASP_ROW(9, 0x00, 0x02, 2, 3)/' gen/asp_main.h
hidden FINCH <<'C'
#include "unit.h"
TEST(equal) { CHECK(asp_stricter(9, 5) == 5); CHECK(asp_stricter(5, 9) == 5); }
C
finish
