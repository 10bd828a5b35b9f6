#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
echo 'PLV_E_RANGE -6 "beyond the end"' >> spec/codes.def
echo 'PLV_API int plv_ring_peek(const plv_ring *r, size_t at, uint8_t *out);' >> include/plover/ring.h
cat >> src/ring.c <<'E'

int plv_ring_peek(const plv_ring *r, size_t at, uint8_t *out) {
    if (at >= r->used) return PLV_E_RANGE;
    *out = r->bytes[(r->head + at) % r->size];
    return 0;
}
E
before_end tests/t_ring.c "    CHECK(plv_ring_peek(&r, 2, &b) == 0 && b == 'd');
    CHECK(plv_ring_peek(&r, 3, &b) == PLV_E_RANGE);"
draw plv_ring_peek; rows plv_ring_peek; try
echo '[ring] peek at a byte without taking it' > changes/231.add
finish "Peek into rings"
