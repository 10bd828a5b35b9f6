/* What differs between the units. */
#ifndef UNIT_KIND_H
#define UNIT_KIND_H

#if defined(UNIT_FINCH)
#include "regs_finch.h"
#include "asp_main.h"
#define UNIT_RELAYS 4
#define UNIT_ASPECTS ASP_MAIN_ROWS
#elif defined(UNIT_HERON)
#include "regs_heron.h"
#include "asp_main.h"
#include "asp_yard.h"
#define UNIT_RELAYS 8
#define UNIT_ASPECTS ASP_MAIN_ROWS ASP_YARD_ROWS
#elif defined(UNIT_WREN)
#include "regs_wren.h"
#include "asp_dwarf.h"
#define UNIT_RELAYS 2
#define UNIT_ASPECTS ASP_DWARF_ROWS
#else
#error "no unit"
#endif

#endif
