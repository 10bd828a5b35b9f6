#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
enter R4 R5
samples B-3120 R4 6.4/12.9 6.1/12.6 6.6/13.1
samples B-3124 R4 4.7/11.2 4.5/10.9 4.9/10.6
pippin grade set B-3120 A
pippin grade set B-3124 C
pippin batch move B-3124 R5
leave R4 R5
finish "Classes of B-3120 and B-3124"
