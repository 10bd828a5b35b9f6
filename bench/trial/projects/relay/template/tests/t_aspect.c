#include "unit.h"

TEST(asp_halves)
{
    CHECK(asp_lit(1, 0) && asp_lit(1, 399) && !asp_lit(1, 400) && !asp_lit(1, 799));
    CHECK(asp_lit(3, 99) && !asp_lit(3, 100) && asp_lit(3, 200));
    CHECK(!asp_lit(0, 0) && !asp_lit(4, 0));
}

#if defined(UNIT_FINCH) || defined(UNIT_HERON)
TEST(asp_steady_and_flash)
{
    CHECK(asp_show(ASP_MAIN_SHUNT) == 0);
    asp_tick(0);
    CHECK(rly_comb() == 0x09);
    asp_tick(400);
    CHECK(rly_comb() == 0x01);
}
#endif

#if defined(UNIT_HERON)
TEST(asp_yard_sits_above)
{
    CHECK(asp_show(ASP_YARD_PULL_BACK) == 0);
    asp_tick(0);
    CHECK(rly_comb() == 0x60);
}
#endif

TEST(asp_unknown_changes_nothing)
{
    CHECK(asp_shown() == 0);
    CHECK(asp_show(250) == 1);
    CHECK(asp_shown() == 0);
}
