#!/bin/bash
. "$(dirname "$0")/lib.sh"
common wren WR2-A 0426.change Plover/1 srv_ticks_left
has gen/regs_wren.h "REG_ROW(0x25, 0, 1, 0, 0, 8)"
has gen/regs_wren.h "REG_SRV_EASE"
hidden WREN <<'C'
#include "unit.h"
#include "servo.h"
static int model(int at, int goal, int step, int ease) {
    int gap = goal > at ? goal - at : at - goal, s = step;
    if (ease && gap <= ease * step) { s = step / 2; if (s < 1) s = 1; }
    if (s > gap) s = gap;
    return goal > at ? at + s : at - s;
}
static void run(int from, int to, int step, int ease) {
    reg_put(REG_SRV_PARK, from); reg_put(REG_SRV_STEP, step); reg_put(REG_SRV_EASE, ease);
    srv_reset(); srv_aim(to);
    int at = from, left = 0;
    for (int x = from; x != to; x = model(x, to, step, ease)) left++;
    for (int i = 0; i < 2000 && at != to; i++) {
        CHECK(srv_ticks_left() == left);
        CHECK(srv_at() == at);
        srv_tick(); left--;
        at = model(at, to, step, ease);
        CHECK(srv_at() == at);
    }
    CHECK(srv_ticks_left() == 0);
    srv_tick(); CHECK(srv_at() == to);
}
TEST(a) { run(1000, 2000, 20, 3); }
TEST(b) { run(2000, 1000, 25, 8); }
TEST(c) { run(1000, 1250, 100, 0); }
TEST(d) { run(1000, 1050, 1, 8); }
TEST(e) { run(1500, 1503, 100, 1); }
TEST(f) { run(1000, 1777, 7, 2); }
TEST(g) { run(1000, 2000, 1, 0); }
TEST(h) {
    reg_put(REG_SRV_STEP, 50); srv_reset(); srv_aim(1200); srv_tick(); CHECK(srv_at() == 1050);
    reg_put(REG_SRV_EASE, 8); CHECK(srv_ticks_left() == 6); srv_tick(); CHECK(srv_at() == 1075);
}
C
finish
