#!/bin/sh
# env-diff.sh REGION NAME: trial against prod
cd "$(dirname "$0")/.." && diff -u "units/trial/$1/$2.unit" "units/prod/$1/$2.unit"
