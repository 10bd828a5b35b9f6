#!/bin/bash
. "$(dirname "$0")/_common.sh"
python3 - <<'E'
p = "desk/roster.tsv"; s = open(p).read()
open(p, "w").write(s.replace("okl\tOona Kestrel\tsculpture\tB\tactive", "okl\tOona Kestrel\tsculpture\tB\tleave"))
E
call sheet.press
nyk=() hna=() cde=()
for ref in $(plinth call claim.list '{"adjuster": "okl"}' | python3 -c 'import json,sys
for l in sys.stdin:
  d = json.loads(l)
  if d["status"] in ("open", "assessed"): print(d["file"])'); do
  case $(plinth call claim.show "{\"claim\": \"$ref\"}" | python3 -c 'import json,sys; print(json.load(sys.stdin)["class"])') in
    textiles|paper) nyk+=("$(full $ref)");; metal|glass) hna+=("$(full $ref)");; *) cde+=("$(full $ref)");;
  esac
done
threes claim.assign claims ', "adjuster": "nyk", "article": "A-413"' "${nyk[@]}"
threes claim.assign claims ', "adjuster": "hna", "article": "A-413"' "${hna[@]}"
threes claim.assign claims ', "adjuster": "cde", "article": "A-413"' "${cde[@]}"
threes claim.note claims ', "text": "Handed over from O. Kestrel (MD-312)."' "${nyk[@]}" "${hna[@]}" "${cde[@]}"
finish caseload
file "MD-312; assign; files of O. Kestrel"
