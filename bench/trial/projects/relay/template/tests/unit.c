/* A small test runner. */
#include <stdio.h>
#include "unit.h"

static struct { const char *name; void (*run)(void); } list[256];
static int total, failed, bad;

void unit_add(const char *name, void (*run)(void))
{
    list[total].name = name;
    list[total++].run = run;
}

void unit_check(int good, const char *file, int line, const char *what)
{
    if (!good) {
        printf("%s:%d: not so: %s\n", file, line, what);
        bad = 1;
    }
}

int main(void)
{
    for (int i = 0; i < total; i++) {
        bad = 0;
        reg_reset();
        rly_reset();
        asp_reset();
        bus_reset();
        list[i].run();
        if (bad) {
            printf("FAILED %s\n", list[i].name);
            failed++;
        }
    }
    printf("%d tests, %d failed\n", total, failed);
    return failed != 0;
}
