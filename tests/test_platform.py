"""Systems on which hardwon says that it does not run."""

import pytest

from hardwon.core._platform import ensure_supported
from hardwon.core.errors import SetupError


def test_windows_is_told_about_wsl() -> None:
    with pytest.raises(SetupError, match="WSL"):
        ensure_supported("nt")


def test_others_go_on() -> None:
    ensure_supported("posix")
