family yard
base 4
lamps S H L P
20  yard_stop  1   S
21  push       7   H
22  pull_back  5   H+L
23  pass       12  P
