#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
git mv pages/sensors/tide.md pages/buoys/tide-gauge.md
i=$(idof buoys/tide-gauge)
swap buoys/tide-gauge "title: Tide gauge" "title: Tide gauge on a buoy"; swap buoys/tide-gauge "owner: hydro" "owner: sea"
swap buoys/tide-gauge "Fit it to a quay wall, not to a pontoon." "Fit it under the hull."
german "$i" "Pegel an einer Boje"
echo "How they measure: [tide gauge](page:$i)." >> pages/buoys/overview.md
quill redirect add /sensors/tide/ "$i" --kind moved
finish Teige 2031-03-12 "The tide gauge moves to the buoys"
