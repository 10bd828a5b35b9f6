#!/bin/bash
. "$(dirname "$0")/lib.sh"
common finch FN4-B 0433.add Pipit/4 guard_tick guard_heard guard_tripped
make -s size UNIT=heron >$tmp/o 2>&1 || miss "size: $(cat $tmp/o)"
has gen/regs_finch.h "REG_ROW(0x23, 0, 1, 5, 0, 60)"
has gen/regs_finch.h "REG_GUARD_S"
has gen/asp_main.h "ASP_ROW(9, 0x00, 0x01, 3, 1)"
has gen/asp_main.h "ASP_MAIN_LOST"
hidden FINCH <<'C'
#include "unit.h"
#include "guard.h"
TEST(trips) {
    guard_reset(1000); asp_show(2); guard_tick(5999); CHECK(!guard_tripped() && asp_shown() == 2);
    guard_tick(6000); CHECK(guard_tripped() == 1 && asp_shown() == 9);
    asp_show(3); guard_tick(7000); CHECK(asp_shown() == 3 && guard_tripped() == 1);
    guard_tick(20000); CHECK(asp_shown() == 3);
    guard_heard(20001); CHECK(guard_tripped() == 0 && asp_shown() == 3);
    guard_tick(25000); CHECK(guard_tripped() == 0);
    guard_tick(25001); CHECK(guard_tripped() == 1 && asp_shown() == 9);
    guard_heard(25002); CHECK(asp_shown() == 9 && !guard_tripped());
}
TEST(off) { reg_put(REG_GUARD_S, 0); guard_reset(0); guard_tick(0); guard_tick(60000); CHECK(!guard_tripped() && asp_shown() == 0); }
TEST(wrap) {
    reg_put(REG_GUARD_S, 60); guard_reset(65000);
    guard_tick(65001); guard_tick((uint16_t)(65000 + 59999)); CHECK(!guard_tripped());
    guard_tick((uint16_t)(65000 + 60000)); CHECK(guard_tripped());
    guard_tick(65100); CHECK(guard_tripped());
    guard_reset(3); CHECK(!guard_tripped());
}
C
finish
