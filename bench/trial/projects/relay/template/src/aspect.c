/* Aspects: the table of the unit, and the one that is shown. */
#include <stddef.h>
#include "aspect.h"
#include "rly.h"
#include "unit_kind.h"

#define ASP_ROW(code, steady, flash, rate, rank) {code, steady, flash, rate, rank},
static const struct asp_row rows[] = {UNIT_ASPECTS};
#undef ASP_ROW

#define ROWS (sizeof rows / sizeof rows[0])

static const struct asp_row *shown;

/* flashing lamps are lit in the earlier half of each beat */
static const uint16_t beats[] = {0, 800, 400, 200};

int asp_lit(uint8_t rate, uint16_t clock)
{
    if (rate == 0 || rate > 3) {
        return 0;
    }
    return clock % beats[rate] < beats[rate] / 2;
}

void asp_reset(void)
{
    shown = NULL;
}

const struct asp_row *asp_find(uint8_t code)
{
    for (unsigned ix = 0; ix < ROWS; ix++) {
        if (rows[ix].code == code) {
            return &rows[ix];
        }
    }
    return NULL;
}

/* 0 when the code is known, else 1 and nothing changes */
int asp_show(uint8_t code)
{
    const struct asp_row *row = asp_find(code);

    if (row == NULL) {
        return 1;
    }
    shown = row;
    return 0;
}

/* 0 as long as nothing was shown */
uint8_t asp_shown(void)
{
    return shown ? shown->code : 0;
}

void asp_tick(uint16_t clock)
{
    uint8_t comb;

    if (shown == NULL) {
        return;
    }
    comb = shown->steady;
    if (asp_lit(shown->rate, clock)) {
        comb |= shown->flash;
    }
    rly_put(comb);
}
