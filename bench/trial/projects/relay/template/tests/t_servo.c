#include "servo.h"
#include "unit.h"

#if defined(UNIT_WREN)
TEST(srv_goes_step_by_step)
{
    reg_put(REG_SRV_STEP, 100);
    srv_reset();
    CHECK(srv_at() == 1000);
    srv_aim(1250);
    srv_tick();
    CHECK(srv_at() == 1100);
    for (int i = 0; i < 8; i++) {
        srv_tick();
    }
    CHECK(srv_at() == 1250);
}

TEST(srv_stays_inside)
{
    srv_reset();
    srv_aim(2190);
    for (int i = 0; i < 200; i++) {
        srv_tick();
    }
    CHECK(srv_at() == 2000);
}
#endif
