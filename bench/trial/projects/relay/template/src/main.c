/* The main loop. On the host it reads bytes from stdin, one per millisecond. */
#include <stdio.h>
#include "aspect.h"
#include "bus.h"
#include "reg.h"
#include "rly.h"
#include "servo.h"

int main(void)
{
    uint8_t out[BUS_FRAME_TOP];
    uint16_t clock = 0;
    int byte;

    reg_reset();
    rly_reset();
    asp_reset();
    bus_reset();
#if defined(UNIT_WREN)
    srv_reset();
#endif
    while ((byte = getchar()) != EOF) {
        if (bus_feed((uint8_t)byte)) {
            fwrite(out, 1, bus_reply(out), stdout);
        }
        asp_tick(++clock);
#if defined(UNIT_WREN)
        srv_tick();
#endif
    }
    return 0;
}
