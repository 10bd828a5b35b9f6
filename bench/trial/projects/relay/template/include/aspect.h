/* Aspects of the unit. */
#ifndef ASPECT_H
#define ASPECT_H
#include <stdint.h>

struct asp_row {
    uint8_t code;
    uint8_t steady;
    uint8_t flash;
    uint8_t rate;
    uint8_t rank;
};

void asp_reset(void);
const struct asp_row *asp_find(uint8_t code);
int asp_show(uint8_t code);
uint8_t asp_shown(void);
int asp_lit(uint8_t rate, uint16_t clock);
void asp_tick(uint16_t clock);

#endif
