/* of common.map a78a601d and wren.map f766442b, by gen_regs.py */
#ifndef REGS_WREN_H
#define REGS_WREN_H

#define REG_NODE       0x00
#define RST_NODE       1
#define REG_GROUP      0x01
#define RST_GROUP      0
#define REG_BAUD_SEL   0x02
#define RST_BAUD_SEL   2
#define REG_FW_MAJOR   0x03
#define RST_FW_MAJOR   3
#define REG_FW_MINOR   0x04
#define RST_FW_MINOR   4
#define REG_SRV_LOW    0x20
#define RST_SRV_LOW    1000
#define REG_SRV_HIGH   0x21
#define RST_SRV_HIGH   2000
#define REG_SWAPS      0x22
#define RST_SWAPS      0
#define REG_SRV_STEP   0x23
#define RST_SRV_STEP   20
#define REG_SRV_PARK   0x24
#define RST_SRV_PARK   1000

/* addr, wide, rw, reset, floor, top */
#define REG_ROWS \
    REG_ROW(0x00, 0, 1, 1, 1, 127) \
    REG_ROW(0x01, 0, 1, 0, 0, 15) \
    REG_ROW(0x02, 0, 1, 2, 0, 4) \
    REG_ROW(0x03, 0, 0, 3, 0, 255) \
    REG_ROW(0x04, 0, 0, 4, 0, 255) \
    REG_ROW(0x20, 1, 1, 1000, 800, 2200) \
    REG_ROW(0x21, 1, 1, 2000, 800, 2200) \
    REG_ROW(0x22, 1, 0, 0, 0, 65535) \
    REG_ROW(0x23, 0, 1, 20, 1, 100) \
    REG_ROW(0x24, 1, 1, 1000, 800, 2200)

#endif

/* table R
0002010001007f00
0102000000000f00
0202020000000400
030003000000ff00
040004000000ff00
2003e80320039808
2103d00720039808
220100000000ffff
2302140001006400
2403e80320039808
*/
