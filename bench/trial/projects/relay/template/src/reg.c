/* Registers: a shelf with one place per line of the map. */
#include "reg.h"

struct reg_row {
    uint8_t addr;
    uint8_t wide;
    uint8_t rw;
    uint16_t reset;
    uint16_t floor;
    uint16_t top;
};

#define REG_ROW(addr, wide, rw, reset, floor, top) {addr, wide, rw, reset, floor, top},
static const struct reg_row rows[] = {REG_ROWS};
#undef REG_ROW

#define ROWS (sizeof rows / sizeof rows[0])

static uint16_t shelf[ROWS];

static int reg_place(uint8_t addr)
{
    for (unsigned ix = 0; ix < ROWS; ix++) {
        if (rows[ix].addr == addr) {
            return (int)ix;
        }
    }
    return -1;
}

void reg_reset(void)
{
    for (unsigned ix = 0; ix < ROWS; ix++) {
        shelf[ix] = rows[ix].reset;
    }
}

int reg_get(uint8_t addr, uint16_t *worth)
{
    int place = reg_place(addr);

    if (place < 0) {
        return REG_NONE;
    }
    *worth = shelf[place];
    return REG_FINE;
}

int reg_put(uint8_t addr, uint16_t worth)
{
    int place = reg_place(addr);

    if (place < 0) {
        return REG_NONE;
    }
    if (!rows[place].rw) {
        return REG_READ_ONLY;
    }
    if (worth < rows[place].floor || worth > rows[place].top) {
        return REG_RANGE;
    }
    shelf[place] = worth;
    return REG_FINE;
}

uint16_t reg_look(uint8_t addr)
{
    int place = reg_place(addr);

    return place < 0 ? 0 : shelf[place];
}

void reg_poke(uint8_t addr, uint16_t worth)
{
    int place = reg_place(addr);

    if (place >= 0) {
        shelf[place] = worth;
    }
}
