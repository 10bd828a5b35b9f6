#!/bin/bash
. "$(dirname "$0")/lib.sh"
addreg heron "0x25  WAKE_ASP  u8   rw  25   0    255   aspect at power on"
addasp yard "24  hump_slow   6   H~1
25  hump_stop   1   S+H"
budget heron regs 16
budget heron aspects 16
before include/aspect.h "
#endif" "uint8_t asp_wake(void);"
sed -i 's/#include "rly.h"/#include "reg.h"\n#include "rly.h"/' src/aspect.c
cat >> src/aspect.c <<'C'

/* what the board shows by itself after power on */
uint8_t asp_wake(void)
{
    const struct asp_row *strict = &rows[0];

#if defined(REG_WAKE_ASP)
    if (asp_show((uint8_t)reg_look(REG_WAKE_ASP)) == 0) {
        return asp_shown();
    }
#endif
    for (unsigned ix = 1; ix < ROWS; ix++) {
        if (rows[ix].rank < strict->rank ||
            (rows[ix].rank == strict->rank && rows[ix].code < strict->code)) {
            strict = &rows[ix];
        }
    }
    shown = strict;
    return shown->code;
}
C
python3 - <<'P'
p = "src/main.c"
t = open(p).read()
t = t.replace("    while (", "    asp_wake();\n    while (", 1)
open(p, "w").write(t)
P
cat >> tests/t_aspect.c <<'C'

TEST(asp_wakes)
{
#if defined(UNIT_HERON)
    CHECK(asp_wake() == ASP_YARD_HUMP_STOP);
    reg_put(REG_WAKE_ASP, 99);
    CHECK(asp_wake() == ASP_MAIN_STOP);
#else
    CHECK(asp_wake() == asp_shown());
#endif
}
C
ship heron HR8-C 0430.add Pipit/6 "The board shows an aspect after power on" 2
