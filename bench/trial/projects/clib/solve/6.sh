#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
git apply patches/0001-slice-trim.patch; git rm -q patches/0001-slice-trim.patch
sed -i "s/\t/    /g; s/s.at\[0\] == ' '/(s.at[0] == ' ' || s.at[0] == 9)/; s/s.at\[s.len - 1\] == ' '/(s.at[s.len - 1] == ' ' || s.at[s.len - 1] == 9)/" src/slice.c
echo '  key ' > tests/fixtures/trim.txt
before_end tests/t_slice.c '    fx_get(argv[1], "trim.txt", text, sizeof text);
    plv_slice cut = plv_slice_trim(plv_slice_of(text));
    CHECK(cut.len == 3 && !memcmp(cut.at, "key", 3));'
draw plv_slice_trim; rows plv_slice_trim; try
echo '[slice] trim blanks from both ends' > changes/238.add
release 105a M1.05.00
finish "Trim slices, 1.5.0"
