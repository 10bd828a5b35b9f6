#include "plover/slice.h"
#include <string.h>

plv_slice plv_slice_of(const char *text) {
    plv_slice s = {(const uint8_t *)text, strlen(text)};
    return s;
}

int plv_slice_find(plv_slice s, uint8_t byte, size_t *where) {
    for (size_t i = 0; i < s.len; i++) {
        if (s.at[i] != byte) continue;
        *where = i;
        return 0;
    }
    return PLV_E_NONE;
}
