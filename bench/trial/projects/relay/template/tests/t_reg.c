#include "unit.h"

TEST(reg_resets)
{
    CHECK(reg_look(REG_NODE) == RST_NODE);
    CHECK(reg_look(REG_FW_MAJOR) == 3);
}

TEST(reg_refuses)
{
    uint16_t worth = 0;
    CHECK(reg_get(0x1F, &worth) == REG_NONE);
    CHECK(reg_put(REG_FW_MINOR, 1) == REG_READ_ONLY);
    CHECK(reg_put(REG_NODE, 0) == REG_RANGE);
    CHECK(reg_put(REG_NODE, 128) == REG_RANGE);
    CHECK(reg_put(REG_NODE, 127) == REG_FINE);
    CHECK(reg_look(REG_NODE) == 127);
}

TEST(rly_tallies_pull_ins)
{
    rly_put(0x03);
    rly_put(0x01);
    rly_put(0x03);
    CHECK(reg_look(REG_SWAPS) == 3);
}

TEST(rly_knows_its_relays)
{
    rly_put(0xFF);
    CHECK(rly_comb() == (uint8_t)((1u << UNIT_RELAYS) - 1u));
}
