/* Registers of the unit. */
#ifndef REG_H
#define REG_H
#include <stdint.h>
#include "unit_kind.h"

enum { REG_FINE = 0, REG_NONE = 1, REG_READ_ONLY = 2, REG_RANGE = 3 };

void reg_reset(void);
int reg_get(uint8_t addr, uint16_t *worth);
int reg_put(uint8_t addr, uint16_t worth);

/* for the firmware itself: no faults, no checks */
uint16_t reg_look(uint8_t addr);
void reg_poke(uint8_t addr, uint16_t worth);

#endif
