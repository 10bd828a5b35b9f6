/* A small test runner. */
#ifndef UNIT_H
#define UNIT_H
#include <stdint.h>
#include "aspect.h"
#include "bus.h"
#include "reg.h"
#include "rly.h"

void unit_add(const char *name, void (*run)(void));
void unit_check(int good, const char *file, int line, const char *what);

#define TEST(name) \
    static void name(void); \
    static void __attribute__((constructor)) enter_##name(void) { unit_add(#name, name); } \
    static void name(void)

#define CHECK(what) unit_check(!!(what), __FILE__, __LINE__, #what)

#endif
