family main
base 0
lamps R Y G W
1  stop        0   R
2  clear       14  G
3  caution     6   Y
4  slow_clear  9   Y+G
5  call_on     3   R+W
6  shunt       5   R+W~1
7  prelim      8   Y~1
8  fast_clear  15  G~1
