#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define CHECK(x) do { if (!(x)) { printf("%s:%d: %s\n", __FILE__, __LINE__, #x); exit(1); } } while (0)

/* text of a fixture, without its last line end */
static inline size_t fx_get(const char *image, const char *name, char *out, size_t room) {
    char head[128], key[64];
    int len = 0;
    FILE *f = fopen(image, "rb");
    CHECK(f && fgets(head, sizeof head, f));
    while (fgets(head, sizeof head, f) && sscanf(head, "%63s %d", key, &len) == 2) {
        CHECK((size_t)len < room && fread(out, 1, (size_t)len, f) == (size_t)len);
        out[len] = 0;
        if (strcmp(key, name)) continue;
        fclose(f);
        out[strcspn(out, "\n")] = 0;
        return strlen(out);
    }
    CHECK(!"fixture");
    return 0;
}
