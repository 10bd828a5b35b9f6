"""How an agent calls hardwon: by a command, or over the port of the daemon."""

from __future__ import annotations

import shlex
import sys

from hardwon.surfaces.hooks.installer import command_hook, http_hook


def test_a_command_names_this_python_and_does_not_depend_on_the_folder() -> None:
    words = shlex.split(command_hook("codex", "Stop")["command"])

    assert words[0] == sys.executable
    assert words[-3:] == ["hook", "codex", "Stop"]
    assert command_hook("codex")["type"] == "command"
    assert shlex.split(command_hook("codex")["command"])[-2:] == ["hook", "codex"]


def test_a_home_is_named_before_the_command() -> None:
    line = command_hook("codex", home="/my home")["command"]

    assert line.startswith("HARDWON_HOME='/my home' ")
    assert "HARDWON_HOME" not in command_hook("codex")["command"]


def test_the_site_of_python_is_not_loaded_by_a_hook() -> None:
    assert shlex.split(command_hook("codex")["command"])[1:3] == ["-I", "-S"]


def test_the_daemon_is_called_with_its_token() -> None:
    assert http_hook("claude-code", port=7, token="t") == {
        "type": "http",
        "url": "http://127.0.0.1:7/hardwon/hook/claude-code",
        "headers": {"Authorization": "Bearer t"},
    }
