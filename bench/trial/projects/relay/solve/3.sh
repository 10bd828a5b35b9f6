#!/bin/bash
. "$(dirname "$0")/lib.sh"
addreg wren "0x25  SRV_EASE  u8   rw  0    0    8     steps of slow end"
budget wren regs 16
before include/servo.h "
#endif" "uint16_t srv_ticks_left(void);"
python3 - <<'P'
p = "src/servo.c"
t = open(p).read()
a, b = t.index("void srv_tick"), t.index("uint16_t srv_at")
t = t[:a] + '''/* where a tick leads to */
static uint16_t srv_step(uint16_t from)
{
    uint16_t step = reg_look(REG_SRV_STEP);
    uint16_t gap = (uint16_t)(goal > from ? goal - from : from - goal);

    if (reg_look(REG_SRV_EASE) && gap <= reg_look(REG_SRV_EASE) * step) {
        step = step > 1 ? step / 2 : 1;
    }
    if (step > gap) {
        step = gap;
    }
    return (uint16_t)(goal > from ? from + step : from - step);
}

void srv_tick(void)
{
    at = srv_step(at);
}

uint16_t srv_ticks_left(void)
{
    uint16_t ticks = 0;

    for (uint16_t from = at; from != goal; from = srv_step(from)) {
        ticks++;
    }
    return ticks;
}

''' + t[b:]
open(p, "w").write(t)
P
cat >> tests/t_servo.c <<'C'

#if defined(UNIT_WREN)
TEST(srv_eases)
{
    reg_put(REG_SRV_STEP, 50);
    reg_put(REG_SRV_EASE, 1);
    srv_reset();
    srv_aim(1100);
    CHECK(srv_ticks_left() == 3);
    srv_tick();
    CHECK(srv_at() == 1050);
    srv_tick();
    CHECK(srv_at() == 1075);
}
#endif
C
ship wren WR2-A 0426.change Plover/1 "The arm slows down before its stop" 7
