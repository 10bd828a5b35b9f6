family dwarf
base 0
lamps A B
40  d_stop   0   A
41  d_go     12  B
42  d_test   4   A+B
43  d_fault  1   A~3
