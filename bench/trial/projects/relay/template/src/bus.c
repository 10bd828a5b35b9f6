/* The bus: takes bytes, answers frames. */
#include <string.h>
#include "bus.h"
#include "aspect.h"
#include "reg.h"

/* node, cmd, span, load, crc of the frame that comes in */
static uint8_t tray[BUS_FRAME_TOP];
static unsigned fill;
static int inside;

static uint8_t answer[BUS_FRAME_TOP];
static unsigned answer_span;

/* crc8, polynomial 0x07 */
uint8_t bus_crc(uint8_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int round = 0; round < 8; round++) {
        crc = (uint8_t)(crc & 0x80 ? (crc << 1) ^ 0x07 : crc << 1);
    }
    return crc;
}

static void bus_answer(uint8_t cmd, const uint8_t *load, uint8_t span)
{
    uint8_t crc = 0;

    answer[0] = BUS_HEAD;
    answer[1] = tray[0];
    answer[2] = cmd;
    answer[3] = span;
    memcpy(answer + 4, load, span);
    for (unsigned ix = 1; ix < 4u + span; ix++) {
        crc = bus_crc(crc, answer[ix]);
    }
    answer[4 + span] = crc;
    answer_span = 5u + span;
}

static void bus_handle(void)
{
    uint8_t cmd = tray[1], span = tray[2];
    const uint8_t *load = tray + 3;
    uint8_t out[BUS_SPAN_TOP] = {0};
    uint16_t worth = 0;

    if (cmd == BUS_SHOW && span == 1) {
        out[0] = (uint8_t)asp_show(load[0]);
        bus_answer(cmd | 0x80, out, 1);
    } else if (cmd == BUS_ASK && span == 0) {
        out[0] = asp_shown();
        bus_answer(cmd | 0x80, out, 1);
    } else if (cmd == BUS_RGET && span == 1) {
        out[0] = (uint8_t)reg_get(load[0], &worth);
        out[1] = (uint8_t)worth;
        out[2] = (uint8_t)(worth >> 8);
        bus_answer(cmd | 0x80, out, 3);
    } else if (cmd == BUS_RPUT && span == 3) {
        worth = (uint16_t)(load[1] | load[2] << 8);
        out[0] = (uint8_t)reg_put(load[0], worth);
        bus_answer(cmd | 0x80, out, 1);
    } else {
        bus_answer(BUS_UNKNOWN, &cmd, 1);
    }
}

void bus_reset(void)
{
    inside = 0;
    fill = 0;
    answer_span = 0;
}

/* 1 when the byte completed a frame that was answered */
int bus_feed(uint8_t byte)
{
    uint8_t crc = 0;

    if (!inside) {
        inside = byte == BUS_HEAD;
        fill = 0;
        return 0;
    }
    tray[fill++] = byte;
    if (fill == 3 && tray[2] > BUS_SPAN_TOP) {
        inside = 0;
        return 0;
    }
    if (fill < 3 || fill < 4u + tray[2]) {
        return 0;
    }
    inside = 0;
    for (unsigned ix = 0; ix + 1 < fill; ix++) {
        crc = bus_crc(crc, tray[ix]);
    }
    if (crc != tray[fill - 1] || tray[0] != reg_look(REG_NODE)) {
        return 0;
    }
    bus_handle();
    return 1;
}

unsigned bus_reply(uint8_t *out)
{
    memcpy(out, answer, answer_span);
    return answer_span;
}
