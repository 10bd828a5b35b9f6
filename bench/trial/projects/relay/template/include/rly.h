/* The relays, as a comb. */
#ifndef RLY_H
#define RLY_H
#include <stdint.h>

void rly_reset(void);
void rly_put(uint8_t comb);
uint8_t rly_comb(void);

#endif
