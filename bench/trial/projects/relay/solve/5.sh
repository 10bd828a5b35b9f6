#!/bin/bash
. "$(dirname "$0")/lib.sh"
addreg finch "0x23  GUARD_S   u8   rw  5    0    60    seconds of silence"
addasp main "9  lost        1   R~3"
budget finch regs 16
budget finch aspects 16
budget heron aspects 16
cat > include/guard.h <<'C'
/* Guard: shows aspect lost when the bus is silent. */
#ifndef GUARD_H
#define GUARD_H
#include <stdint.h>

void guard_reset(uint16_t clock);
void guard_heard(uint16_t clock);
void guard_tick(uint16_t clock);
int guard_tripped(void);

#endif
C
cat > src/guard.c <<'C'
/* Guard: shows aspect lost when the bus is silent. */
#include "guard.h"
#include "aspect.h"
#include "reg.h"

#if defined(UNIT_FINCH)

static uint16_t heard_at;
static int tripped;

void guard_reset(uint16_t clock)
{
    heard_at = clock;
    tripped = 0;
}

void guard_heard(uint16_t clock)
{
    guard_reset(clock);
}

void guard_tick(uint16_t clock)
{
    uint32_t silence = reg_look(REG_GUARD_S) * 1000u;

    if (silence && !tripped && (uint16_t)(clock - heard_at) >= silence) {
        tripped = 1;
        asp_show(ASP_MAIN_LOST);
    }
}

int guard_tripped(void)
{
    return tripped;
}

#endif
C
cat > tests/t_guard.c <<'C'
#include "guard.h"
#include "unit.h"

#if defined(UNIT_FINCH)
TEST(guard_trips)
{
    guard_reset(65000);
    guard_tick((uint16_t)(65000 + 4999));
    CHECK(!guard_tripped());
    guard_tick((uint16_t)(65000 + 5000));
    CHECK(guard_tripped() && asp_shown() == ASP_MAIN_LOST);
    guard_heard(9000);
    CHECK(!guard_tripped());
}
#endif
C
ship finch FN4-B 0433.add Pipit/4 "The signal shows lost when the bus is silent" 5
