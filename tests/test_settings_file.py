"""One setting changed in a file that a person wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.settings import load
from hardwon.core.settings_file import edit_text, set_setting, unset_setting

FILE = """# mine
[model]
name = "rules"  # for now

[budget]
calls = 5
"""


def test_only_the_value_changes() -> None:
    assert edit_text(FILE, "model.name", '"agent:codex"') == FILE.replace(
        '"rules"', '"agent:codex"'
    )


def test_a_new_setting_joins_its_section() -> None:
    assert 'name = "rules"  # for now\ntimeout = "5s"\n\n[budget]' in edit_text(
        FILE, "model.timeout", '"5s"'
    )


def test_a_new_section_comes_last() -> None:
    assert edit_text(FILE, "hooks.limit", '"1s"') == f'{FILE}\n[hooks]\nlimit = "1s"\n'


def test_a_setting_is_taken_out() -> None:
    assert edit_text(FILE, "budget.calls", None) == FILE.replace("calls = 5\n", "")
    assert edit_text(FILE, "hooks.limit", None) == FILE


@pytest.mark.parametrize(
    "text",
    [
        'model.name = "rules"\n',
        'model = { name = "rules" }\n',
        '[model]\nname = """\nlong\n"""\n',
    ],
)
def test_a_layout_that_cannot_be_edited_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="by hand"):
        edit_text(text, "model.name", '"agent:codex"')


@given(st.text(max_size=40))
def test_any_text_is_written_so_that_it_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, value: str
) -> None:
    home = str(tmp_path_factory.mktemp("home"))
    value = value.encode("utf-8", "replace").decode()

    set_setting(home, "scope.project", value)

    assert load(home, environ={}).scope.project == value


def test_a_wrong_value_or_name_writes_nothing(tmp_path: Path) -> None:
    for key, value in (("budget.calls", "many"), ("budget.cals", "5"), ("budget", "5")):
        with pytest.raises(InvalidInput):
            set_setting(str(tmp_path), key, value)

    assert not list(tmp_path.iterdir())


def test_set_and_unset(tmp_path: Path) -> None:
    home = str(tmp_path / "new")

    set_setting(home, "hooks.limit", "500ms")

    assert load(home, environ={}).hooks.limit.total_seconds() == 0.5
    assert unset_setting(home, "hooks.limit")
    assert not unset_setting(home, "hooks.limit")
    assert not unset_setting(str(tmp_path / "none"), "hooks.limit")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_a_file_behind_a_link_is_changed_in_its_place_and_keeps_its_mode(tmp_path: Path) -> None:
    home, real = tmp_path / "home", tmp_path / "dotfiles.toml"
    home.mkdir()
    real.write_text(FILE)
    real.chmod(0o640)
    (home / "config.toml").symlink_to(real)

    set_setting(str(home), "budget.calls", "7")

    assert (home / "config.toml").is_symlink()
    assert real.read_text() == FILE.replace("calls = 5", "calls = 7")
    assert real.stat().st_mode & 0o777 == 0o640
    real.chmod(0o440)
    with pytest.raises(StorageError, match="read-only"):
        set_setting(str(home), "budget.calls", "9")
