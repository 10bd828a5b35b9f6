"""`hardwon key` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hardwon.storage.service import FileDatabase, KeyRing
from hardwon.surfaces.cli import run

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path))
    return tmp_path


def out(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert run(["key", *arguments]) == code
    return capsys.readouterr().out


def test_a_key_is_shown_once_and_listed_without_its_secret(capsys: Capture, home: Path) -> None:
    asked = ("--role", "curator", "--tenant", "acme", "--agent", "coder", "--note", "for ci")
    text = out(capsys, "create", *asked, "--expires", "90d").strip()

    held = KeyRing(FileDatabase(str(home))).holder(text)

    assert held
    assert (held.tenant, held.role, held.agent, held.note) == ("acme", "curator", "coder", "for ci")
    listed = out(capsys, "list")
    assert f"{held.id}  acme    curator  coder  valid  never     for ci" in listed
    assert len(secret := text.partition(f"{held.id}_")[2]) > 20
    assert secret not in listed


def test_a_revoked_key_opens_nothing(capsys: Capture, home: Path) -> None:
    made = json.loads(out(capsys, "create", "--json"))

    assert out(capsys, "revoke", made["id"]) == f"revoked {made['id']}\n"

    assert KeyRing(FileDatabase(str(home))).holder(made["key"]) is None
    assert "revoked" in out(capsys, "list")
    out(capsys, "revoke", "nothing", code=1)


def test_a_key_that_cannot_be_made_is_explained(capsys: Capture) -> None:
    out(capsys, "create", "--role", "root", code=2)
    out(capsys, "create", "--expires", "soon", code=2)
    assert out(capsys, "list") == "no keys yet\n"


def test_an_expiry_beyond_all_time_is_explained(capsys: Capture) -> None:
    for lasts in ("99999999999999999999999999999d", "999999999d"):
        out(capsys, "create", "--expires", lasts, code=2)


def test_keys_stay_where_there_is_no_database_to_move_them_to(capsys: Capture) -> None:
    out(capsys, "create")

    out(capsys, "move", code=2)

    assert "valid" in out(capsys, "list")
