#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
i=$(quill id new SN)
git mv inbox/ice-mast.svg images/ice-mast.svg; quill image derive ice-mast --widths 480,960
printf -- '---\nid: %s\ntitle: Ice eye\nowner: sky\n---\n![The mast](img:ice-mast@960)\n\nThe eye sees ice from two millimetres on. Wipe it with fresh water only.\n' "$i" > pages/sensors/ice.md
german "$i" Eisauge
c=$(idof sensors/camera); swap sensors/overview "[quay camera](page:$c)." "[quay camera](page:$c), [ice eye](page:$i)."
finish Lindqvist 2031-03-07 "Ice eye"
