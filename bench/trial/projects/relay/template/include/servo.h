/* The servo of the wren. */
#ifndef SERVO_H
#define SERVO_H
#include <stdint.h>

void srv_reset(void);
void srv_aim(uint16_t us);
void srv_tick(void);
uint16_t srv_at(void);

#endif
