#!/bin/bash
. "$(dirname "$0")/lib.sh"
common heron HR8-C 0417.add Pipit/6 seq_ask seq_tick
has gen/regs_heron.h "REG_ROW(0x25, 1, 1, 40, 0, 500)"
has gen/regs_heron.h "REG_HOLDOFF_MS"
hidden HERON <<'C'
#include "unit.h"
#include "seq.h"
TEST(order) {
    seq_reset(); seq_ask(0x85); CHECK(rly_comb() == 0);
    seq_tick(1000); CHECK(rly_comb() == 0x01);
    seq_tick(1039); CHECK(rly_comb() == 0x01);
    seq_tick(1040); CHECK(rly_comb() == 0x05);
    seq_tick(1041); CHECK(rly_comb() == 0x05);
    seq_tick(1090); CHECK(rly_comb() == 0x85);
}
TEST(drop_and_across) {
    seq_reset(); seq_ask(0x03); seq_tick(100); seq_tick(140); CHECK(rly_comb() == 0x03);
    seq_ask(0x10); CHECK(rly_comb() == 0x03);
    seq_tick(150); CHECK(rly_comb() == 0);
    seq_tick(179); CHECK(rly_comb() == 0);
    seq_tick(180); CHECK(rly_comb() == 0x10);
}
TEST(zero) {
    reg_put(REG_HOLDOFF_MS, 0); seq_reset(); seq_ask(0xF1); seq_tick(5); CHECK(rly_comb() == 0xF1);
}
TEST(wrap) {
    reg_put(REG_HOLDOFF_MS, 100); seq_reset(); seq_ask(0x0C);
    seq_tick(65500); CHECK(rly_comb() == 0x04);
    seq_tick(65535); CHECK(rly_comb() == 0x04);
    seq_tick(63); CHECK(rly_comb() == 0x04);
    seq_tick(64); CHECK(rly_comb() == 0x0C);
}
TEST(reset_forgets) {
    seq_reset(); seq_ask(0x03); seq_tick(10); seq_reset(); CHECK(rly_comb() == 0);
    seq_tick(11); CHECK(rly_comb() == 0);
    seq_ask(0x02); seq_tick(12); CHECK(rly_comb() == 0x02);
}
TEST(first_at_zero_clock) { seq_reset(); seq_ask(1); seq_tick(0); CHECK(rly_comb() == 1); }
C
finish
