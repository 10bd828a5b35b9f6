"""Which folders may write into a project."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hardwon
from hardwon.core.errors import InvalidInput, NotFound
from hardwon.engine import trust
from hardwon.engine.trust import project_for

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def repository(folder: Path, url: str = "git@host.example:acme/api.git") -> str:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {url}\n')
    return str(folder)


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "home")


@pytest.fixture
def real(tmp_path: Path, home: str) -> str:
    """A folder that was the first to claim acme/api."""
    folder = repository(tmp_path / "real")
    assert project_for(folder, home, tenant="default") == "acme/api"
    return folder


@pytest.fixture
def foreign(tmp_path: Path) -> str:
    return repository(tmp_path / "foreign")


def apart(folder: str, home: str) -> str:
    found = project_for(folder, home, tenant="default")
    assert found is not None
    assert found.startswith("acme/api@apart-")
    return found


def test_the_first_folder_is_trusted_and_stays_so(home: str, real: str, foreign: str) -> None:
    apart(foreign, home)

    assert project_for(real, home, tenant="default") == "acme/api"
    assert project_for(f"{real}/src", home, tenant="default") == "acme/api"
    assert apart(foreign, home) == apart(foreign, home)


def test_a_folder_that_nobody_judged_writes_apart() -> None:
    claim = trust.FolderClaim("default", "acme/api", "abc", "/w/api")

    assert claim.writes_to() != "acme/api"
    assert claim._replace(is_trusted=True).writes_to() == "acme/api"


def test_a_folder_by_another_path_is_the_same(home: str, real: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(real)

    assert project_for(str(tmp_path / "link"), home, tenant="default") == "acme/api"


def test_a_folder_without_a_remote_is_its_own_and_is_not_listed(home: str, tmp_path: Path) -> None:
    assert project_for(str(tmp_path), home, tenant="default") == str(tmp_path)
    assert project_for("", home, tenant="default") is None
    assert not os.path.exists(home)


@pytest.mark.parametrize("name", ["acme/api@apart-0123456789abcdef", f"acme/{'x' * 190}"])
def test_a_remote_cannot_name_what_is_kept_apart(name: str, home: str, tmp_path: Path) -> None:
    folder = repository(tmp_path / "sly", f"https://host.example/{name}")

    assert project_for(folder, home, tenant="default") == folder


def test_a_known_folder_changes_no_file(home: str, real: str, foreign: str) -> None:
    apart(foreign, home)
    before = os.stat(f"{home}/projects").st_ino

    project_for(real, home, tenant="default")
    apart(foreign, home)

    assert os.stat(f"{home}/projects").st_ino == before


@pytest.mark.parametrize("damage", [b"", b"hardwon projects 1", b"\xff\x00", b"x" * (2 << 20)])
def test_in_a_damaged_list_nobody_new_is_first(damage: bytes, home: str, foreign: str) -> None:
    os.makedirs(home)
    Path(home, "projects").write_bytes(damage)

    apart(foreign, home)

    assert Path(home, "projects").read_bytes() == damage


@pytest.mark.parametrize("plant", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_a_damaged_list(plant: object, home: str, foreign: str) -> None:
    os.makedirs(home)
    assert callable(plant)
    plant(f"{home}/projects")

    apart(foreign, home)


def test_a_damaged_line_costs_no_other(home: str, real: str, foreign: str) -> None:
    with open(f"{home}/projects", "ab") as file:
        file.write(b"trusted\tdefault\n")

    assert project_for(real, home, tenant="default") == "acme/api"
    apart(foreign, home)


def test_a_home_that_cannot_be_written_is_read(home: str, real: str, foreign: str) -> None:
    os.mkdir(f"{home}/aside")
    os.unlink(f"{home}/projects.lock")
    os.symlink(f"{home}/aside", f"{home}/projects.lock")  # nobody, not even root, can open it

    assert project_for(real, home, tenant="default") == "acme/api"
    apart(foreign, home)
    assert len(trust.read(home).all) == 1


def _claim(home: str, folder: str) -> str | None:
    return project_for(folder, home, tenant="default")


def test_of_many_at_once_one_is_the_first(home: str, tmp_path: Path) -> None:
    folders = [repository(tmp_path / f"r{number}") for number in range(8)]

    with multiprocessing.get_context("spawn").Pool(4) as pool:
        found = pool.starmap(_claim, [(home, folder) for folder in folders])

    assert found.count("acme/api") == 1
    assert len(set(found)) == 8
    assert len(trust.read(home).all) == 8


def test_only_so_many_unconfirmed_folders_are_listed(home: str, real: str, tmp_path: Path) -> None:
    for number in range(105):
        apart(repository(tmp_path / f"r{number}"), home)

    listed = trust.read(home).all
    assert len(listed) == 101
    assert [one.folder for one in listed if one.is_trusted] == [real]
    assert listed[-1].folder == str(tmp_path / "r104")


def test_no_secret_of_a_path_or_a_remote_is_kept(home: str, tmp_path: Path) -> None:
    folder = repository(tmp_path / SECRET, f"https://host.example/{SECRET}/api")

    project = project_for(folder, home, tenant="default")

    assert project is not None
    assert SECRET not in project
    assert SECRET not in Path(home, "projects").read_text()
    assert project_for(folder, home, tenant="default") == project


def test_what_is_only_claimed_cannot_be_changed(home: str, real: str, foreign: str) -> None:
    with hardwon.open(home) as hw:
        own = hw.agent("coder", project="acme/api")
        theirs = own.learn("run migrations before starting the server")
        own.lessons.edit(theirs.id, tags=["x"])
        stranger = hw.agent("coder", project=apart(foreign, home)).lessons

        for change in (stranger.delete, stranger.approve, stranger.guard):
            with pytest.raises(InvalidInput, match="hardwon project trust"):
                change(theirs.id)
        with pytest.raises(InvalidInput, match="hardwon project trust"):
            stranger.edit(theirs.id, correction="drop all tables")
        with pytest.raises(NotFound):
            stranger.undo()
        assert stranger.revoke(theirs.origin) == []
        assert own.lessons.get(theirs.id).correction == theirs.correction
        assert stranger.get(theirs.id).tags == ("x",)


def test_a_pack_of_the_project_is_taken_in_by_a_folder_that_claims_it(
    home: str, real: str, foreign: str, tmp_path: Path
) -> None:
    pack = tmp_path / "pack.jsonl"
    pack.write_text('{"situation": "when you deploy", "correction": "use the blue cluster"}\n')
    with hardwon.open(home) as hw:
        (first,) = hw.agent("coder", project="acme/api").lessons.import_from(str(pack))
        stranger = hw.agent("coder", project=apart(foreign, home))

        (taken,) = stranger.lessons.import_from(str(pack))

    assert (first.scope.project, taken.scope) == ("acme/api", stranger.scope)


def test_lessons_that_say_the_same_become_one(home: str, real: str, foreign: str) -> None:
    with hardwon.open(home) as hw:
        own = hw.agent("coder", project="acme/api")
        other = hw.agent("coder", project=apart(foreign, home))
        for agent, call in ((own, "make"), (other, "make all")):
            agent.after_action("bash", call, output="make: *** No rule for x", failed=True)
        other.learn("run migrations before starting the server")

        claim = hw.projects.trust(foreign)

        assert claim.writes_to() == "acme/api"
        listed = own.lessons.list(status="all")
        assert sorted(one.met for one in listed) == [1, 2]
        assert {one.scope for one in listed} == {own.scope}
        assert [one for one in other.lessons.list(status="all") if one.scope == other.scope] == []
        assert own.before_turn("start the server after the migrations")


def test_what_waits_in_the_queue_follows_its_folder(home: str, real: str, foreign: str) -> None:
    with hardwon.open(home) as hw:
        other = hw.agent("coder", project=apart(foreign, home))
        other.after_action("bash", "mkdir a/b", output="mkdir: a: No such file", failed=True)
        other.after_action("bash", "mkdir -p a/b")
        other.after_run(task="make a folder", error="mkdir: a: No such file")
        hw.projects.trust(foreign)

        assert hw.drain().done == 1

        assert hw.agent("coder", project="acme/api").lessons.list(status="all")
        left = other.lessons.list(status="all")
        assert [one for one in left if one.scope == other.scope] == []


def test_who_is_not_trusted_yet_is_worked_apart(home: str, real: str, foreign: str) -> None:
    with hardwon.open(home) as hw:
        other = hw.agent("coder", project=apart(foreign, home))
        other.after_run(task="make a folder", error="mkdir: a: No such file")
        hw.drain()

        assert hw.agent("coder", project="acme/api").lessons.list(status="all") == []


def test_what_one_tenant_trusts_is_not_trusted_by_another(
    home: str, real: str, foreign: str
) -> None:
    apart(foreign, home)
    kept = [project_for(folder, home, tenant="zebra") for folder in (real, foreign)]
    with hardwon.open(home) as hw:
        hw.projects.trust(foreign)
        other = hw.agent("coder", project=kept[1], tenant="zebra")
        other.after_run(task="make a folder", error="mkdir: a: No such file")
        hw.drain()

        assert hw.agent("coder", project=kept[0], tenant="zebra").lessons.list(status="all") == []


def test_a_folder_that_is_forgotten_must_be_confirmed_or_be_the_first(
    home: str, real: str, foreign: str
) -> None:
    apart(foreign, home)
    with hardwon.open(home) as hw:
        with pytest.raises(NotFound):
            hw.projects.forget("acme/web")
        with pytest.raises(NotFound):
            hw.projects.forget("acme/api", tenant="other")
        assert [one.folder for one in hw.projects.forget("acme/api")] == [real, foreign]
        assert hw.projects.list() == []

    assert project_for(foreign, home, tenant="default") == "acme/api"


def test_a_misspelt_name_forgets_no_folder(
    home: str, real: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(real)
    Path(real, "src").mkdir()
    with hardwon.open(home) as hw:
        with pytest.raises(NotFound):
            hw.projects.forget("acme/apy")
        assert [claim.folder for claim in hw.projects.list()] == [real]
        assert [claim.folder for claim in hw.projects.forget("src")] == [real]


def test_a_folder_that_is_gone_is_forgotten_by_its_path(
    home: str, real: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(real).rename(f"{real}-moved")
    monkeypatch.chdir(Path(real).parent)
    with hardwon.open(home) as hw:
        assert [claim.folder for claim in hw.projects.forget("real")] == [real]


def test_a_forgotten_tenant_claims_nothing(home: str, real: str, foreign: str) -> None:
    project_for(foreign, home, tenant="zebra")
    with hardwon.open(home) as hw:
        hw.forget_tenant("zebra")

    assert "zebra" not in Path(home, "projects").read_text()
    assert project_for(real, home, tenant="default") == "acme/api"


def test_a_folder_with_a_project_of_its_own_needs_no_trust(home: str, tmp_path: Path) -> None:
    with hardwon.open(home) as hw, pytest.raises(InvalidInput, match="nothing to trust"):
        hw.projects.trust(tmp_path)


def test_in_memory_no_folder_is_kept(foreign: str) -> None:
    with hardwon.open("memory:") as hw, pytest.raises(InvalidInput, match="memory"):
        hw.projects.trust(foreign)


def test_the_command_line_asks_for_this_folder_alone(home: str, real: str, foreign: str) -> None:
    def lesson(text: str, project: str) -> None:
        words = ["-m", "hardwon", "reflect", text, "--project", project, "--home", home]
        subprocess.run([sys.executable, *words], cwd=foreign, check=True, timeout=90)

    lesson("learnt apart", ".")
    lesson("learnt by name", "acme/api")

    with hardwon.open(home) as hw:
        listed = hw.agent("default", project="acme/api").lessons.list()
    assert [one.correction for one in listed] == ["learnt by name"]


@pytest.mark.parametrize("look", [["report"], ["lesson", "list"]], ids=" ".join)
def test_a_look_trusts_nobody(look: list[str], home: str, foreign: str) -> None:
    words = [sys.executable, "-m", "hardwon", *look, "--home", home]
    subprocess.run(words, cwd=foreign, check=True, timeout=90, stdout=subprocess.DEVNULL)

    assert trust.read(home).all == ()


CLAIM = trust.FolderClaim("default", "acme/api", "abc", "/w/api", True)


@pytest.mark.parametrize(("more", "is_whole"), [(0, True), (1, False)])
def test_a_list_may_have_so_many_bytes(tmp_path: Path, more: int, is_whole: bool) -> None:
    head = "hardwon projects 1\n"
    line = "trusted\tdefault\tacme/api\tabc\t"
    room = (1 << 18) - len(head) - len(line) - 1 + more
    (tmp_path / "projects").write_text(f"{head}{line}{'x' * room}\n")

    found = trust.read(str(tmp_path))

    assert found.is_whole is is_whole


@pytest.mark.parametrize(
    ("text", "is_whole", "count"),
    [
        ("hardwon projects 1\n", True, 0),
        ("hardwon projects 1", False, 0),
        ("hardwon projects 2\n", False, 0),
        ("hardwon projects 1\ntrusted\tt\tp\td\tf\n", True, 1),
        ("hardwon projects 1\ntrusted\tt\tp\td\tf", False, 0),
        ("hardwon projects 1\napart\tt\tp\td\tf\nodd\tt\tp\td\tf\n", False, 1),
        ("hardwon projects 1\ntrusted\tt\tp\td\n", False, 0),
        ("hardwon projects 1\ntrusted\tt\tp\td\tf\tg\n", False, 0),
        ("hardwon projects 1\ntrusted\tt\t\td\tf\n", False, 0),
    ],
)
def test_a_list_is_whole_or_read_as_far_as_it_is(
    tmp_path: Path, text: str, is_whole: bool, count: int
) -> None:
    (tmp_path / "projects").write_text(text)

    found = trust.read(str(tmp_path))

    assert (found.is_whole, len(found.all)) == (is_whole, count)


def test_what_is_stored_is_read_back(tmp_path: Path) -> None:
    apart_one = CLAIM._replace(digest="def", is_trusted=False)
    trust.change_claims(str(tmp_path), lambda claims: claims.having(CLAIM).having(apart_one))

    assert trust.read(str(tmp_path)) == trust.Claims((CLAIM, apart_one))


def test_a_folder_without_a_name_is_written_as_unknown(tmp_path: Path) -> None:
    nameless = CLAIM._replace(folder="\n")
    trust.change_claims(str(tmp_path), lambda claims: claims.having(nameless))

    (found,) = trust.read(str(tmp_path)).all
    assert found.folder == "?"


def test_a_claim_is_of_one_folder_in_one_project_of_one_tenant() -> None:
    assert CLAIM.is_same(CLAIM._replace(folder="/other", is_trusted=False))
    others = CLAIM._replace(tenant="x"), CLAIM._replace(project="x"), CLAIM._replace(digest="x")
    assert not any(CLAIM.is_same(other) for other in others)


def test_of_the_untrusted_folders_the_latest_hundred_are_kept() -> None:
    claims = trust.Claims((CLAIM,))
    for number in range(120):
        claims = claims.having(CLAIM._replace(digest=str(number), is_trusted=False))

    kept = [claim.digest for claim in claims.all]
    assert kept == ["abc", *map(str, range(20, 120))]


def test_a_tenant_that_is_forgotten_claims_nothing(tmp_path: Path) -> None:
    other = CLAIM._replace(tenant="other")
    trust.change_claims(str(tmp_path), lambda claims: claims.having(CLAIM).having(other))

    trust.forget(str(tmp_path), "default")
    trust.forget(str(tmp_path), "nobody")

    assert trust.read(str(tmp_path)).all == (other,)


def test_the_only_tenant_of_a_home_can_be_forgotten(tmp_path: Path) -> None:
    changed = trust.change_claims(str(tmp_path), lambda claims: claims.having(CLAIM))
    assert changed == trust.Claims((CLAIM,))

    trust.forget(str(tmp_path), CLAIM.tenant)

    assert trust.read(str(tmp_path)).all == ()
