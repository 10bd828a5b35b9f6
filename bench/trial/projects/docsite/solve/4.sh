#!/usr/bin/env bash
. "$(dirname "$0")/lib.sh"
old=$(idof recipes/backup) i=$(idof gateway/storage)
git rm -q pages/recipes/backup.md; german "$old"
swap gateway/storage "More: [saving figures](page:$old)." "Put a stick into the left slot and hold the button for three seconds."
swap gateway/updates "[saving figures](page:$old)" "[storage](page:$i)"
swap recipes/overview "[saving figures](page:$old), " ""
quill redirect add /recipes/backup/ "$i" --kind merged
finish Lindqvist 2031-12-19 "Saving figures merged into storage"
