#!/bin/bash
. "$(dirname "$0")/lib.sh"
common heron HR8-C 0430.add Pipit/6 asp_wake
has gen/regs_heron.h "REG_ROW(0x25, 0, 1, 25, 0, 255)"
has gen/regs_heron.h "REG_WAKE_ASP"
has gen/asp_yard.h "ASP_ROW(24, 0x00, 0x20, 1, 6)"
has gen/asp_yard.h "ASP_ROW(25, 0x30, 0x00, 0, 1)"
has gen/asp_yard.h "ASP_YARD_HUMP_SLOW"
has gen/asp_yard.h "ASP_YARD_HUMP_STOP"
hidden HERON <<'C'
#include "unit.h"
TEST(wake) {
    CHECK(asp_wake() == 25); CHECK(asp_shown() == 25); asp_tick(0); CHECK(rly_comb() == 0x30);
    reg_put(REG_WAKE_ASP, 8); CHECK(asp_wake() == 8 && asp_shown() == 8);
    reg_put(REG_WAKE_ASP, 77); CHECK(asp_wake() == 1 && asp_shown() == 1);
    reg_put(REG_WAKE_ASP, 0); asp_show(8); CHECK(asp_wake() == 1 && asp_shown() == 1);
    asp_show(24); asp_tick(0); CHECK(rly_comb() == 0x20); asp_tick(400); CHECK(rly_comb() == 0);
}
C
hidden WREN <<'C'
#include "unit.h"
TEST(wake) { CHECK(asp_wake() == 40); CHECK(asp_shown() == 40); }
C
# the node asks what is shown: the answer of a host program must be hump_stop (25)
gcc -std=gnu11 -w -DUNIT_HERON -Iinclude -Igen src/*.c -o $tmp/host 2>/dev/null &&
    python3 - $tmp/host <<'P' || miss "the firmware does not wake by itself"
import subprocess, sys
def crc(b):
    c = 0
    for x in b:
        c ^= x
        for _ in range(8):
            c = ((c << 1) ^ 7) & 255 if c & 128 else c << 1
    return c
f = bytes([1, 0x11, 0]); out = subprocess.run([sys.argv[1]], input=b"\x7e" + f + bytes([crc(f)]), capture_output=True, timeout=10).stdout
sys.exit(out[2:5] != bytes([0x91, 1, 25]))
P
sed -i 's/ASP_ROW(1, 0x01, 0x00, 0, 0)/ASP_ROW(1, 0x01, 0x00, 0, 2)/' gen/asp_main.h
hidden HERON <<'C'
#include "unit.h"
TEST(equal) { reg_put(REG_WAKE_ASP, 200); CHECK(asp_wake() == 20); }
C
finish
