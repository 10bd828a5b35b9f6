#include "plover/ring.h"

void plv_ring_init(plv_ring *r, uint8_t *bytes, size_t size) {
    r->bytes = bytes;
    r->size = size;
    r->head = r->used = 0;
}

int plv_ring_put(plv_ring *r, uint8_t byte) {
    if (r->used == r->size) return PLV_E_FULL;
    r->bytes[(r->head + r->used++) % r->size] = byte;
    return 0;
}

int plv_ring_get(plv_ring *r, uint8_t *out) {
    if (!r->used) return PLV_E_EMPTY;
    *out = r->bytes[r->head];
    r->head = (r->head + 1) % r->size;
    r->used--;
    return 0;
}
