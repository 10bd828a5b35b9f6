#include <string.h>
#include "unit.h"

static int send(uint8_t node, uint8_t cmd, const uint8_t *load, uint8_t span)
{
    uint8_t head[3] = {node, cmd, span};
    uint8_t crc = 0;
    bus_feed(BUS_HEAD);
    for (int i = 0; i < 3; i++) {
        bus_feed(head[i]);
        crc = bus_crc(crc, head[i]);
    }
    for (int i = 0; i < span; i++) {
        bus_feed(load[i]);
        crc = bus_crc(crc, load[i]);
    }
    return bus_feed(crc);
}

TEST(bus_reads_register)
{
    uint8_t out[BUS_FRAME_TOP], addr = REG_FW_MAJOR;
    CHECK(send(1, BUS_RGET, &addr, 1) == 1);
    CHECK(bus_reply(out) == 8);
    CHECK(out[2] == 0xA0 && out[4] == 0 && out[5] == 3 && out[6] == 0);
}

TEST(bus_other_node_is_silent)
{
    CHECK(send(9, BUS_ASK, NULL, 0) == 0);
}

TEST(bus_unknown)
{
    uint8_t out[BUS_FRAME_TOP];
    CHECK(send(1, 0x55, NULL, 0) == 1);
    CHECK(bus_reply(out) == 6 && out[2] == BUS_UNKNOWN && out[4] == 0x55);
}
