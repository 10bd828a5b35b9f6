/* of main.asp 2379dbe9, by aspc.py */
#ifndef ASP_MAIN_H
#define ASP_MAIN_H

#define ASP_MAIN_STOP         1
#define ASP_MAIN_CLEAR        2
#define ASP_MAIN_CAUTION      3
#define ASP_MAIN_SLOW_CLEAR   4
#define ASP_MAIN_CALL_ON      5
#define ASP_MAIN_SHUNT        6
#define ASP_MAIN_PRELIM       7
#define ASP_MAIN_FAST_CLEAR   8

/* code, steady, flash, rate, rank */
#define ASP_MAIN_ROWS \
    ASP_ROW(1, 0x01, 0x00, 0, 0) \
    ASP_ROW(2, 0x04, 0x00, 0, 14) \
    ASP_ROW(3, 0x02, 0x00, 0, 6) \
    ASP_ROW(4, 0x06, 0x00, 0, 9) \
    ASP_ROW(5, 0x09, 0x00, 0, 3) \
    ASP_ROW(6, 0x01, 0x08, 1, 5) \
    ASP_ROW(7, 0x00, 0x02, 1, 8) \
    ASP_ROW(8, 0x00, 0x04, 1, 15)

#endif

/* table A
01010000
020400e0
03020060
04060090
05090030
06010851
07000281
080004f1
*/
