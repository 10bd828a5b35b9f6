#!/bin/bash
. "$(dirname "$0")/lib.sh"
addasp main "9  warning     4   Y~2
10 release     7   W+G~1"
budget finch aspects 16
budget heron aspects 16
before include/aspect.h "
#endif" "uint8_t asp_stricter(uint8_t a, uint8_t b);"
cat >> src/aspect.c <<'C'

/* the stricter of two codes, 0 when none is known */
uint8_t asp_stricter(uint8_t a, uint8_t b)
{
    const struct asp_row *left = asp_find(a), *right = asp_find(b);

    if (left == NULL || right == NULL) {
        return left ? a : right ? b : 0;
    }
    if (left->rank != right->rank) {
        return left->rank < right->rank ? a : b;
    }
    return a < b ? a : b;
}
C
cat >> tests/t_aspect.c <<'C'

#if defined(UNIT_FINCH)
TEST(asp_stricter_picks)
{
    CHECK(asp_stricter(1, 2) == 1 && asp_stricter(99, 2) == 2 && asp_stricter(99, 98) == 0);
}

TEST(asp_new_ones)
{
    CHECK(asp_show(ASP_MAIN_RELEASE) == 0);
    asp_tick(0);
    CHECK(rly_comb() == 0x0C);
}
#endif
C
ship finch FN4-B 0421.add Pipit/4 "New aspects warning and release" 5
