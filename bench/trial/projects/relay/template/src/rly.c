/* The relays. Pull-ins are tallied in register SWAPS. */
#include "rly.h"
#include "reg.h"

#define ALL ((uint8_t)((1u << UNIT_RELAYS) - 1u))

static uint8_t pulled;

void rly_reset(void)
{
    pulled = 0;
}

void rly_put(uint8_t comb)
{
    uint8_t fresh = (uint8_t)(comb & ALL & ~pulled);

    while (fresh) {
        reg_poke(REG_SWAPS, (uint16_t)(reg_look(REG_SWAPS) + 1u));
        fresh &= (uint8_t)(fresh - 1u);
    }
    pulled = comb & ALL;
}

uint8_t rly_comb(void)
{
    return pulled;
}
