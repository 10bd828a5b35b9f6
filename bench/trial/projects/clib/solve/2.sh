#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
echo 'PLV_E_WIDE -6 "does not fit 32 bits"' >> spec/codes.def
sed -i 's|^    for (size_t i = 0; i < len \&\& i < 5; i++) {|&\n        if (i == 4 \&\& in[i] > 15) return PLV_E_WIDE;|' src/varint.c
before_end tests/t_varint.c '    CHECK(plv_varint_read((const uint8_t *)"\xff\xff\xff\xff\x7f", 5, &v) == PLV_E_WIDE);
    CHECK(plv_varint_read((const uint8_t *)"\xff\xff\xff\xff\x0f", 5, &v) == 5 && v == 0xffffffffu);'
rows plv_varint_read; try
echo '[varint] numbers over 32 bits are refused' > changes/233.mend
release 104d M1.04.03
finish "Refuse wide varints, 1.4.3"
