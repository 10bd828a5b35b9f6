"""What every room uses: values, text, errors, settings, files and processes."""

import os

if os.name == "nt":
    from hardwon.core.errors import SetupError

    raise SetupError(
        "hardwon needs Linux or macOS: its queue and stores lock files as POSIX does. "
        "On Windows, install and run it inside WSL"
    )
