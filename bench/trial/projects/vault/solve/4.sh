#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
slip 'kind: return
day: 2026-11-17
loan: L-012' letters/2026-11-17-courier.txt
reel pull 0244
read_can 0244/1 905+04 0.5 A2.01.1; read_can 0244/2 878+09 0.6 A2.03.1; read_can 0244/3 412+06 0.4 A2.01.3
reel remark 0244 "lid of can 2 dented"
reel refile 0244
finish tm "Apple Year is back"
