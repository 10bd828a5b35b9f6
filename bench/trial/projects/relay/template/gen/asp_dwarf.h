/* of dwarf.asp e7f51bb0, by aspc.py */
#ifndef ASP_DWARF_H
#define ASP_DWARF_H

#define ASP_DWARF_D_STOP       40
#define ASP_DWARF_D_GO         41
#define ASP_DWARF_D_TEST       42
#define ASP_DWARF_D_FAULT      43

/* code, steady, flash, rate, rank */
#define ASP_DWARF_ROWS \
    ASP_ROW(40, 0x01, 0x00, 0, 0) \
    ASP_ROW(41, 0x02, 0x00, 0, 12) \
    ASP_ROW(42, 0x03, 0x00, 0, 4) \
    ASP_ROW(43, 0x00, 0x01, 3, 1)

#endif

/* table A
28010000
290200c0
2a030040
2b000113
*/
