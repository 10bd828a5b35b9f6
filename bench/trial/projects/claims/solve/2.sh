#!/bin/bash
. "$(dirname "$0")/_common.sh"
printf 'AP-33\tMette Thorvald\tpaper and models\n' >> desk/appraisers.tsv
call sheet.press
refs=()
for row in "27-0281 5620.00 EUR AP-17" "27-0284 21000.00 EUR AP-33" "27-0287 0.00 CHF AP-17" "27-0290 3909.90 EUR AP-33"; do
  set -- $row
  refs+=("$(full $1)")
  call claim.assess "{\"claim\": \"$(full $1)\", \"amount\": \"$(amount $2 $3)\", \"appraiser\": \"$4\", \"article\": \"V-206\"}"
done
threes claim.note claims ', "text": "Appraisal of 17 March entered (MD-304)."' "${refs[@]}"
finish assessed
file "MD-304; assess; appraisals of 17 March"
