#include "fx.h"
#include "plover/ring.h"
int main(int argc, char **argv) {
    char text[64];
    uint8_t store[4], b;
    plv_ring r;
    fx_get(argv[1], "ring.txt", text, sizeof text);
    plv_ring_init(&r, store, sizeof store);
    for (int i = 0; i < 4; i++) CHECK(plv_ring_put(&r, (uint8_t)text[i]) == 0);
    CHECK(plv_ring_put(&r, 'x') == PLV_E_FULL);
    CHECK(plv_ring_get(&r, &b) == 0 && b == 'a');
    return 0;
}
