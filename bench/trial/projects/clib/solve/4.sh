#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
cat > include/plover/delta.h <<'E'
#pragma once
#include "plover/api.h"
PLV_API void plv_delta_encode(const uint8_t *in, size_t len, uint8_t *out);
PLV_API void plv_delta_decode(const uint8_t *in, size_t len, uint8_t *out);
E
cat > src/delta.c <<'E'
#include "plover/delta.h"

void plv_delta_encode(const uint8_t *in, size_t len, uint8_t *out) {
    uint8_t last = 0;
    for (size_t i = 0; i < len; i++) {
        uint8_t now = in[i];
        out[i] = (uint8_t)(now - last);
        last = now;
    }
}

void plv_delta_decode(const uint8_t *in, size_t len, uint8_t *out) {
    uint8_t last = 0;
    for (size_t i = 0; i < len; i++) out[i] = last = (uint8_t)(last + in[i]);
}
E
echo aabbccddee > tests/fixtures/delta.txt
cat > tests/t_delta.c <<'E'
#include "fx.h"
#include "plover/delta.h"
int main(int argc, char **argv) {
    char text[64];
    uint8_t a[64], b[64];
    size_t n = fx_get(argv[1], "delta.txt", text, sizeof text);
    plv_delta_encode((const uint8_t *)text, n, a);
    CHECK(a[0] == 97 && a[1] == 0 && a[2] == 1);
    plv_delta_decode(a, n, b);
    CHECK(!memcmp(b, text, n));
    return 0;
}
E
sed -i 's/^`hex` prints/`delta` writes differences of bytes. `hex` prints/' docs/modules.md
draw plv_delta_encode plv_delta_decode; rows plv_delta_encode plv_delta_decode; try
echo '[delta] new module for byte differences' > changes/236.add
finish "Module for differences"
