/* of yard.asp 5392e418, by aspc.py */
#ifndef ASP_YARD_H
#define ASP_YARD_H

#define ASP_YARD_YARD_STOP    20
#define ASP_YARD_PUSH         21
#define ASP_YARD_PULL_BACK    22
#define ASP_YARD_PASS         23

/* code, steady, flash, rate, rank */
#define ASP_YARD_ROWS \
    ASP_ROW(20, 0x10, 0x00, 0, 1) \
    ASP_ROW(21, 0x20, 0x00, 0, 7) \
    ASP_ROW(22, 0x60, 0x00, 0, 5) \
    ASP_ROW(23, 0x80, 0x00, 0, 12)

#endif

/* table A
14100010
15200070
16600050
178000c0
*/
