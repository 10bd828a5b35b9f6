#!/bin/bash
. "$(dirname "$0")/lib.sh"
addreg heron "0x25  HOLDOFF_MS u16 rw  40   0    500   ms from one pull-in to the next"
budget heron regs 16
cat > include/seq.h <<'C'
/* Sequencer: relays of the heron pull in one after the other. */
#ifndef SEQ_H
#define SEQ_H
#include <stdint.h>

void seq_reset(void);
void seq_ask(uint8_t comb);
void seq_tick(uint16_t clock);

#endif
C
cat > src/seq.c <<'C'
/* Sequencer: relays of the heron pull in one after the other. */
#include "seq.h"
#include "reg.h"
#include "rly.h"

#if defined(UNIT_HERON)

static uint8_t asked;
static uint16_t pulled_at;
static int pulled_once;

void seq_reset(void)
{
    asked = 0;
    pulled_once = 0;
    rly_put(0);
}

void seq_ask(uint8_t comb)
{
    asked = comb;
}

void seq_tick(uint16_t clock)
{
    uint16_t wait = reg_look(REG_HOLDOFF_MS);
    uint8_t comb = rly_comb() & asked;
    uint8_t fresh = (uint8_t)(asked & ~comb);

    if (wait == 0) {
        comb = asked;
    } else if (fresh && (!pulled_once || (uint16_t)(clock - pulled_at) >= wait)) {
        comb |= (uint8_t)(fresh & -fresh);
    }
    if (fresh & comb) {
        pulled_at = clock;
        pulled_once = 1;
    }
    rly_put(comb);
}

#endif
C
cat > tests/t_seq.c <<'C'
#include "seq.h"
#include "unit.h"

#if defined(UNIT_HERON)
TEST(seq_one_after_the_other)
{
    seq_reset();
    seq_ask(0x03);
    seq_tick(0);
    CHECK(rly_comb() == 0x01);
    seq_tick(39);
    CHECK(rly_comb() == 0x01);
    seq_tick(40);
    CHECK(rly_comb() == 0x03);
}
#endif
C
ship heron HR8-C 0417.add Pipit/6 "Relays pull in one after the other" 2
