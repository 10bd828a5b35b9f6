"""Other programs' settings are theirs: only our entries come and go."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import hardwon
from hardwon.core.errors import InvalidInput
from hardwon.core.text import jsonc
from hardwon.surfaces.hooks import guarding, installer
from hardwon.surfaces.hooks.agents import AGENTS
from hardwon.surfaces.hooks.installer import Target

KEPT_BY_HAND = """{
    // my own hooks: do not touch
    "model": "opus",
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}], // beep
        "sessionStart": [],
        /* and a block */
    },
}
"""


def target(agent: str, root: Path, level: str = installer.USER) -> Target:
    def call(event: str) -> dict[str, Any]:
        return installer.command_hook(agent, event)

    return installer.target(
        agent, level, call, folder=str(root / "project"), environ={"HOME": str(root)}
    )


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize(
    "before",
    [
        None,
        "",
        "{}",
        "{}\n",
        '{"a": [1]}',
        KEPT_BY_HAND,
        '\ufeff{"a": 1}',
        '{\r\n  "a": 1\r\n}\r\n',
    ],
)
def test_uninstalling_restores_the_very_bytes(
    agent: str, before: str | None, tmp_path: Path
) -> None:
    goal, store = target(agent, tmp_path), str(tmp_path / "store")
    path = Path(goal.path)
    if before is not None:
        path.parent.mkdir(parents=True)
        path.write_bytes(before.encode())
        path.chmod(0o640)

    assert installer.install(goal, store)
    assert installer.is_installed(goal)
    assert not installer.install(goal, store)  # a second time changes nothing
    assert installer.uninstall(goal, store)

    assert (path.read_bytes().decode() if path.exists() else None) == before
    assert path.parent.exists() == (before is not None)
    assert before is None or os.stat(path).st_mode & 0o777 == 0o640
    assert not installer.is_installed(goal)
    assert not installer.uninstall(goal, store)


@pytest.mark.parametrize("agent", ["claude-code", "codex", "gemini", "qwen", "cursor"])
def test_what_others_wrote_meanwhile_stays(agent: str, tmp_path: Path) -> None:
    goal, store = target(agent, tmp_path), str(tmp_path / "store")
    path = Path(goal.path)
    path.parent.mkdir(parents=True)
    path.write_text(KEPT_BY_HAND)

    installer.install(goal, store)
    path.write_text(path.read_text().replace('"opus"', '"sonnet"'))
    installer.uninstall(goal, store)

    left = path.read_text()
    assert "hardwon" not in left
    assert "// my own hooks: do not touch" in left
    assert "// beep" in left
    assert "/* and a block */" in left
    assert jsonc.loads(left)["model"] == "sonnet"
    assert jsonc.loads(left)["hooks"]["Stop"][0]["hooks"][0]["command"] == "say done"


@pytest.mark.parametrize(
    ("agent", "pattern", "unit"),
    [
        ("claude-code", r'"timeout": (\d+)', 1),
        ("codex", r'"timeout": (\d+)', 1),
        ("gemini", r'"timeout": (\d+)', 1000),
        ("copilot", r'"timeoutSec": (\d+)', 1),
        ("opencode", r"timeout: (\d+)", 1000),
    ],
)
def test_an_agent_waits_until_a_guard_has_given_up(
    agent: str, pattern: str, unit: int, tmp_path: Path
) -> None:
    """A hook that is ended earlier denies nothing: the forbidden call would be made."""
    written = installer.installation(target(agent, tmp_path)).after

    waits = [int(limit) / unit for limit in re.findall(pattern, written or "")]

    assert waits
    assert min(waits) > guarding.LIMIT


def test_installing_keeps_every_line_that_was_there(tmp_path: Path) -> None:
    goal = target("claude-code", tmp_path)
    path = Path(goal.path)
    path.parent.mkdir(parents=True)
    path.write_text(KEPT_BY_HAND)

    change = installer.installation(goal)

    assert path.read_text() == KEPT_BY_HAND  # it is only a plan
    removed = [line for line in change.diff().splitlines() if line.startswith("-")]
    assert len(removed) <= 2  # the file's name, and the line that got a comma
    assert "+++" in change.diff()


def test_an_older_command_of_ours_is_replaced(tmp_path: Path) -> None:
    goal, store = target("claude-code", tmp_path), str(tmp_path / "store")
    installer.install(goal, store)
    path = Path(goal.path)
    command = json.dumps(installer.command_hook("claude-code")["command"])
    path.write_text(path.read_text().replace(command, '"/old/hardwon hook claude-code"'))
    assert "/old/hardwon" in path.read_text()

    installer.install(goal, store)

    assert "old/hardwon" not in path.read_text()
    assert len(jsonc.loads(path.read_text())["hooks"]["Stop"]) == 1


def test_a_file_that_is_no_json_is_not_touched(tmp_path: Path) -> None:
    goal = target("claude-code", tmp_path)
    Path(goal.path).parent.mkdir(parents=True)
    Path(goal.path).write_text("{ oops")

    with pytest.raises(InvalidInput, match=r"settings\.json: .* line 1; nothing was changed"):
        installer.install(goal, str(tmp_path / "store"))

    assert Path(goal.path).read_text() == "{ oops"


def test_a_linked_settings_file_stays_a_link(tmp_path: Path) -> None:
    goal = target("claude-code", tmp_path)
    Path(goal.path).parent.mkdir(parents=True)
    (tmp_path / "dotfiles.json").write_text("{}")
    Path(goal.path).symlink_to(tmp_path / "dotfiles.json")

    installer.install(goal, str(tmp_path / "store"))

    assert Path(goal.path).is_symlink()
    assert "hardwon" in (tmp_path / "dotfiles.json").read_text()


def test_a_link_to_a_file_that_is_not_there_yet_is_left_as_it_was(tmp_path: Path) -> None:
    goal, store = target("claude-code", tmp_path), str(tmp_path / "store")
    Path(goal.path).parent.mkdir(parents=True)
    aim = tmp_path / "dotfiles" / "settings.json"
    Path(goal.path).symlink_to(aim)

    installer.install(goal, store)
    assert aim.exists()
    installer.uninstall(goal, store)

    assert Path(goal.path).is_symlink()
    assert not aim.parent.exists()


def test_project_level_files_lie_in_the_project(tmp_path: Path) -> None:
    for agent in AGENTS:
        path = target(agent, tmp_path, installer.PROJECT).path
        assert path.startswith(str(tmp_path / "project"))


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
OBJECTS = st.dictionaries(st.text(max_size=6), SCALARS | st.lists(SCALARS, max_size=3), max_size=4)


@settings(deadline=None)
@given(OBJECTS, st.sampled_from([None, 0, 2, "\t"]))
def test_what_was_appended_can_be_removed_again(value: dict, indent: Any) -> None:
    value.pop("hooks", None)
    text = json.dumps(value, indent=indent)

    longer = jsonc.append(text, ("hooks", "Stop"), {"ours": [1]})

    assert jsonc.loads(longer) == {**value, "hooks": {"Stop": [{"ours": [1]}]}}
    assert jsonc.loads(jsonc.remove(longer, ("hooks", "Stop"), 0)) == value
    assert jsonc.loads(text) == value


@settings(deadline=None)
@given(st.text(alphabet='{}[]",:/* \n\\1a', max_size=30))
@example('"\\1"')
@example('{"\\1": 1}')
def test_any_text_is_parsed_or_refused(text: str) -> None:
    try:
        value = jsonc.loads(text)
    except InvalidInput:
        return
    json.dumps(value)


def test_an_uninstall_forgets_which_folders_were_made(tmp_path: Path) -> None:
    place, home = target("codex", tmp_path), str(tmp_path / "home")
    folder = Path(place.path).parent
    installer.install(place, home)
    installer.uninstall(place, home)
    assert not folder.exists()

    folder.mkdir()  # by somebody else, since
    installer.uninstall(place, home)

    assert folder.exists()


def written(goal: Target, text: str) -> Path:
    path = Path(goal.path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_change_tells_how_many_lines_come_and_go() -> None:
    change = installer.ConfigChange("/x", "a\nb\n", "a\nc\nd\n")

    assert change.summary() == "/x: 2 lines added, 1 removed; --diff shows them"
    assert change
    assert not installer.ConfigChange("/x", "a", "a")
    assert installer.ConfigChange("/x", None, "a\n").summary().startswith("/x: 1 line added, 0")


def test_what_is_installed_already_is_not_changed(tmp_path: Path) -> None:
    goal, store = target("claude-code", tmp_path), str(tmp_path / "store")
    installer.install(goal, store)

    assert installer.is_installed(goal)
    assert not installer.installation(goal)
    assert not installer.install(goal, store)


@pytest.mark.parametrize("hooks", ["[]", '{"Stop": 7}', '{"Stop": {}}', "null"])
def test_hooks_of_an_odd_shape_are_not_taken_for_ours(tmp_path: Path, hooks: str) -> None:
    goal = target("claude-code", tmp_path)
    written(goal, f'{{"hooks": {hooks}}}')

    assert not installer.is_installed(goal)
    assert installer.missing_part(goal) == ""
    assert not installer.removal(goal, str(tmp_path / "store"))


def test_a_new_file_can_be_read_by_all_and_our_records_by_nobody_else(tmp_path: Path) -> None:
    goal, store = target("claude-code", tmp_path), tmp_path / "store"
    installer.install(goal, str(store))

    assert Path(goal.path).stat().st_mode & 0o777 == 0o644
    assert (store / "installed.json").stat().st_mode & 0o777 == 0o600
    assert store.stat().st_mode & 0o777 == 0o700


def test_only_folders_that_were_made_and_are_empty_go_with_the_hooks(tmp_path: Path) -> None:
    goal, store = target("opencode", tmp_path), str(tmp_path / "store")
    installer.install(goal, store)
    (tmp_path / ".config" / "mine").touch()

    installer.uninstall(goal, store)

    assert not (tmp_path / ".config" / "opencode").exists()
    assert (tmp_path / ".config" / "mine").exists()


def test_a_file_that_we_made_goes_when_nothing_else_is_in_it(tmp_path: Path) -> None:
    goal, store = target("claude-code", tmp_path), str(tmp_path / "store")
    for extra, is_left in (("", False), ('"model": "opus", ', True)):
        installer.install(goal, store)
        path = Path(goal.path)
        path.write_text(path.read_text().replace("{", "{" + extra + " ", 1))

        installer.uninstall(goal, store)

        assert path.exists() is is_left
    assert jsonc.loads(path.read_text()) == {"model": "opus"}


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("/no/such/python -m hardwon hook claude-code", "/no/such/python"),
        ("HARDWON_HOME=/x /no/such/python -m hardwon hook claude-code", "/no/such/python"),
        (f"{sys.executable} -m hardwon hook claude-code", ""),
        ("hardwon hook claude-code", ""),
    ],
)
def test_a_program_of_a_hook_is_missing_if_its_path_is(
    tmp_path: Path, command: str, missing: str
) -> None:
    goal = target("claude-code", tmp_path)
    entry = {"hooks": {"Stop": [{"hooks": [{"type": "http"}, {"command": command}]}]}}
    written(goal, json.dumps(entry))

    assert installer.missing_part(goal) == missing


@pytest.mark.parametrize("agent", AGENTS)
def test_a_package_that_was_removed_is_missing_in_the_hooks_of_every_agent(
    tmp_path: Path, agent: str
) -> None:
    goal = target(agent, tmp_path)
    installer.install(goal, str(tmp_path / "store"))
    assert installer.missing_part(goal) == ""
    path, root = Path(goal.path), str(Path(hardwon.__file__).parent.parent)

    path.write_text(path.read_text().replace(root, "/gone/site-packages"))
    assert installer.missing_part(goal) == "/gone/site-packages/hardwon"

    path.write_text(path.read_text().replace(sys.executable, "/gone/bin/python"))
    assert installer.missing_part(goal) == "/gone/bin/python"


@pytest.mark.parametrize(
    ("plugins", "is_on"),
    [
        ({"hardwon@market": True}, True),
        ({"hardwon@market": False}, False),
        ({"hardwon@market": "yes"}, False),
        ({"other@market": True}, False),
        ([], False),
    ],
)
def test_a_plugin_is_on_when_the_settings_say_so(
    tmp_path: Path, plugins: object, is_on: bool
) -> None:
    goal = target("claude-code", tmp_path)
    written(goal, json.dumps({"enabledPlugins": plugins}))

    assert installer.has_plugin(goal) is is_on
    assert not installer.has_plugin(target("opencode", tmp_path))
