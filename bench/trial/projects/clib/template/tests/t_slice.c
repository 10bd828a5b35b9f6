#include "fx.h"
#include "plover/slice.h"
int main(int argc, char **argv) {
    char text[64];
    size_t at = 0;
    fx_get(argv[1], "slice.txt", text, sizeof text);
    CHECK(plv_slice_find(plv_slice_of(text), '=', &at) == 0 && at == 3);
    CHECK(plv_slice_find(plv_slice_of(text), '?', &at) == PLV_E_NONE);
    return 0;
}
