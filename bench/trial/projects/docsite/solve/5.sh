#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
i=$(quill id new RC)
printf 'tide-tables\thttps://tides.example/tables\n' >> registry/links.tsv
sed -i '1i datum\tthe level that heights are counted from' registry/glossary.tsv
printf -- '---\nid: %s\ntitle: Reading tide tables\nowner: hydro\n---\nLook up your harbour in the [tables](link:tide-tables). Heights are above the [[datum]].\n' "$i" > pages/recipes/tide-tables.md
german "$i" "Gezeitentafeln lesen"
echo "See also [tide tables](page:$i)." >> pages/recipes/alarm.md
finish Teige 2031-06-01 "Reading tide tables"
