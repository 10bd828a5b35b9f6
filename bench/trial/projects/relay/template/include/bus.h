/* Frames of the bus, see docs/bus.md. */
#ifndef BUS_H
#define BUS_H
#include <stdint.h>

#define BUS_HEAD 0x7E
#define BUS_SPAN_TOP 8
#define BUS_FRAME_TOP (5 + BUS_SPAN_TOP)

#define BUS_SHOW 0x10
#define BUS_ASK 0x11
#define BUS_RGET 0x20
#define BUS_RPUT 0x21
#define BUS_UNKNOWN 0xFF

uint8_t bus_crc(uint8_t crc, uint8_t byte);
void bus_reset(void);
int bus_feed(uint8_t byte);
unsigned bus_reply(uint8_t *out);

#endif
