/* The servo of the wren: goes to where it is aimed, SRV_STEP us per tick. */
#include "servo.h"
#include "reg.h"

#if defined(UNIT_WREN)

static uint16_t at;
static uint16_t goal;

void srv_reset(void)
{
    at = reg_look(REG_SRV_PARK);
    goal = at;
}

void srv_aim(uint16_t us)
{
    uint16_t low = reg_look(REG_SRV_LOW), high = reg_look(REG_SRV_HIGH);

    goal = us < low ? low : us > high ? high : us;
}

void srv_tick(void)
{
    uint16_t step = reg_look(REG_SRV_STEP);
    uint16_t gap = (uint16_t)(goal > at ? goal - at : at - goal);

    if (step > gap) {
        step = gap;
    }
    at = (uint16_t)(goal > at ? at + step : at - step);
}

uint16_t srv_at(void)
{
    return at;
}

#endif
