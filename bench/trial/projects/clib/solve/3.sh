#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
python3 - <<'P'
import re
p = "src/hex.c"; s = open(p).read()
s = s[:s.index("\nvoid plv_hex_dump")].replace("#include <stdio.h>\n", "") + '''
int plv_hex_line(const uint8_t *in, size_t len, char *out, size_t room) {
    size_t need = len ? 3 * len - 1 : 0;
    if (need + 1 > room) return PLV_E_FULL;
    *out = 0;
    for (size_t i = 0; i < len; i++) {
        if (i) *out++ = ' ';
        plv_hex_write(in + i, 1, out);
        out += 2;
    }
    return (int)need;
}
'''
open(p, "w").write(s)
p = "include/plover/hex.h"; s = open(p).read()
s = s[:s.index("/* writes")] + "PLV_API int plv_hex_line(const uint8_t *in, size_t len, char *out, size_t room);\n"
open(p, "w").write(s)
P
sed -i /plv_hex_dump/d abi/plover.syms bench/baseline.tsv
before_end tests/t_hex.c '    CHECK(plv_hex_line((const uint8_t *)text, 2, out, sizeof out) == 5 && !strcmp(out, "70 6c"));
    CHECK(plv_hex_line((const uint8_t *)text, 2, out, 5) == PLV_E_FULL);'
draw plv_hex_line; rows plv_hex_line; try
echo '[hex] plv_hex_dump gives way to plv_hex_line' > changes/240.drop
release 200a M2.00.00
finish "Lines of hex in place of the dump, 2.0.0"
