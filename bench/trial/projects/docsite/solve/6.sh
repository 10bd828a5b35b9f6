#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
git mv -f inbox/mooring-2031.svg images/mooring.svg; quill image derive mooring --widths 480,960
echo "Put a swivel in the middle of the chain." >> pages/buoys/mooring.md
rope=$(idof buoys/rope) i=$(idof buoys/mooring)
git rm -q pages/buoys/rope.md; german "$rope"
swap buoys/overview ", [rope in place of chain](page:$rope)" ""
swap buoys/recovery "Cut the rope ([rope in place of chain](page:$rope)), never the chain." "Never cut the chain."
quill redirect add /buoys/rope/ "$i" --kind gone
finish Moberg 2031-08-15 "Chain with a swivel, no rope"
