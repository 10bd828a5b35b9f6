"""S6, S7, S13, S18: ids that are paths, planted links, escapes, and texts that are commands."""

from __future__ import annotations

import contextlib
import errno
import functools
import io
import json
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from http.client import HTTPException
from itertools import product
from pathlib import Path
from urllib.parse import quote

import hardwon
from hardwon.core import _files
from hardwon.core.errors import HardwonError
from hardwon.surfaces.cli import run
from tests.surfaces.serve.seeded import AGENT, PROJECT, seed
from tests.surfaces.serve.served import Served, served
from tests.torture.kill import fork, kill
from tests.waiting import until

_STEPS = (
    *("../", "..\\", "%2e%2e%2f", "..%2f", "....//", ".%2e/", "．．／", "..;/"),
    *("/", "//", "~/", "\\\\"),
)
_ENDS = (
    *("victim", "etc/passwd", "victim\0.wal", "victim.json", "victim%00", "victim/"),
    *(".", "..", "CON"),
)
_EXTRA = (".", "..", "", " ", "\0", "CON", "nul", "a" * 5000, "-rf", "$(touch victim)")
_ESCAPES = (
    *("\x1b[2J", "\x1b]0;owned\x07", "\x1b]52;c;b3du\x07", "\x1b]8;;http://evil\x1b\\link"),
    *("\x1bP1$r\x1b\\", "\x9b31m", "\x9d0;x\x9c", "\x07", "\x08\x08", "\r", "\x7f", "\x00"),
    *("\u202eabc", "\u2066x", "\u200b"),
    *map(chr, (*range(1, 9), *range(11, 32), *range(0x80, 0xA0))),
)
_SOURCE = Path(hardwon.__file__).parent
_HARMLESS = {"\n", "\t"}


def s6(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` ids that are paths, by library, command line and HTTP: no file outside of the home."""
    home, outside = folder / "place" / "home", list[str]()
    (folder / "victim").write_text("untouched")
    os.environ["HARDWON_HOME"] = str(home)
    seed(home)
    os.chdir(folder / "place")  # a command also reads the folder that it is called in
    ids = [*_EXTRA, *(step * depth + end for step, depth, end in product(_STEPS, (1, 3, 9), _ENDS))]
    with served(home) as server, contextlib.redirect_stdout(io.StringIO()):
        doors = [*_library(server.hw), *_commands(), *_requests(server)]
        with contextlib.redirect_stderr(io.StringIO()):
            for door in doors:
                _try(door, "ordinary")  # what is read once, whatever the id
            own = (str(folder / "place"), sys.prefix, sys.base_prefix, str(_SOURCE))
            with _watched(outside, own):
                for number in range(n):
                    _try(doors[number % len(doors)], chance.choice(ids))
    print(*sorted(set(outside))[:20], sep="\n", file=sys.stderr)
    return n, len(outside) + ((folder / "victim").read_text() != "untouched")


def _try(door: Callable[[str], object], identity: str) -> None:
    with contextlib.suppress(HardwonError, HTTPException, ValueError, SystemExit, PermissionError):
        door(identity)


def _library(hw: hardwon.Hardwon) -> list[Callable[[str], object]]:
    def whole_run(**names: str) -> None:
        agent = hw.agent(**{"name": "coder", **names})
        agent.before_turn("deploy the shop")
        agent.after_action("bash", "make", output="make: *** Error 2", failed=True)
        agent.end_run()

    agent = hw.agent("coder")
    return [
        lambda one: whole_run(name=one),
        lambda one: whole_run(project=one),
        lambda one: whole_run(tenant=one),
        lambda one: whole_run(run=one),
        lambda one: agent.goals.ended(one, "deploy", "failed", error="no"),
        lambda one: agent.goals.context(one),
        lambda one: agent.loops.get(one),
        lambda one: agent.loops.run(
            "try", actor=lambda turn: "x", evaluate=lambda turn: True, loop_id=one
        ),
        lambda one: agent.runs.get(one),
        lambda one: agent.dreams.get(one),
        lambda one: hw.queue.revive(one),
        lambda one: hw.queue.purge(one),
        lambda one: hw.forget_tenant(one),
    ]


def _commands() -> list[Callable[[str], object]]:
    lines = [(noun, "show") for noun in ("loop", "dream", "lesson", "run")]
    lines += [("lesson", "list", option) for option in ("--agent", "--tenant", "--project")]  # type: ignore[misc]
    lines += [("loop", "abort"), ("reflect", "retry"), ("reflect", "purge")]
    return [lambda one, line=line: run((*line, one)) for line in lines]  # type: ignore[misc]


def _requests(server: Served) -> list[Callable[[str], object]]:
    paths = ("loops", "runs", "dreams", "queue/dead", "keys", "failures", "lessons", "deliveries")
    addresses = [*(f"/v1/{path}/" for path in paths), "/static/", "/v1/lessons?agent="]

    def ask(address: str, identity: str) -> None:
        server.ask("GET", address + quote(identity, safe=""), key=server.token)
        server.ask("GET", address + identity, key=server.token)

    return [functools.partial(ask, address) for address in addresses]


_EVENTS = {"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.listdir", "os.scandir"}
_EVENTS |= {"os.link", "os.symlink", "os.chmod", "os.truncate", "shutil.rmtree", "sqlite3.connect"}
_watching: list[Callable[[str, tuple[object, ...]], None]] = []


def _audit(event: str, told: tuple[object, ...]) -> None:
    if _watching and told:
        _watching[-1](event, told)


@contextlib.contextmanager
def _watched(outside: list[str], allowed: tuple[str, ...]) -> Iterator[None]:
    """Note the files outside of these folders that are about to be touched, and refuse them."""
    allowed = (*(os.path.realpath(one) for one in allowed), "/proc", "/dev")

    def look(event: str, told: tuple[object, ...]) -> None:
        if event in _EVENTS and isinstance(told[0], str | bytes | os.PathLike):
            name = os.fsdecode(told[0])
            is_below = not os.path.isabs(name) and ".." not in name  # of an open folder
            real = os.path.realpath(name) if "\0" not in name else name
            if not is_below and not real.startswith(allowed):
                outside.append(f"{event} {name}")
                raise PermissionError(errno.EPERM, "outside of the home", name)

    sys.addaudithook(_audit)
    _watching.append(look)
    try:
        yield
    finally:
        _watching.pop()


def s7(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` writes while another process swaps the file for links, pipes and folders."""
    victim, place = folder / "victim", folder / "place"
    victim.write_text("untouched")
    place.mkdir()
    target = str(place / "file")
    racer = fork(lambda: _plant(target, victim))
    writers: tuple[Callable[[], object], ...] = (
        lambda: _files.replace(target, b"mine"),
        lambda: _files.append(target, b"mine"),
        lambda: os.close(_files.fresh(target)),
        lambda: os.close(_files.lock_file(target)),
        lambda: _files.content(target, 100),
    )
    until(lambda: os.path.lexists(target))
    bad = 0
    for number in range(n):
        time.sleep(0.0001)  # the other one needs its turn
        with contextlib.suppress(OSError, HardwonError):
            writers[number % len(writers)]()
        bad += victim.read_text() != "untouched"
        if bad:
            break
    kill(racer)
    return n, bad + (victim.stat().st_mode & 0o777 != 0o644)


def _plant(target: str, victim: Path) -> None:
    aside = f"{target}.planted"
    kinds: tuple[Callable[[], None], ...] = (
        lambda: os.symlink(victim, aside),
        lambda: os.mkfifo(aside),
        lambda: os.mkdir(aside),
    )
    while True:
        for make in kinds:
            with contextlib.suppress(OSError):
                make()
                os.rename(aside, target)
            with contextlib.suppress(OSError):
                os.rmdir(aside)
            with contextlib.suppress(OSError):
                os.unlink(aside)
            with contextlib.suppress(OSError):
                os.rmdir(target)


def s13(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` listings of a home whose every text holds escapes: none reaches the terminal."""
    home = folder / "home"
    os.environ["HARDWON_HOME"] = str(home)
    seed(home)
    bad = 0
    for number in range(n):
        line = _LISTINGS[number % len(_LISTINGS)]
        if number % len(_LISTINGS) == 0:
            _spoil(home / "hardwon.db", "".join(chance.choices(_ESCAPES, k=5)))
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            code = run((*line, "--agent", AGENT, "--project", PROJECT))
        text = shown.getvalue()
        is_wrong = code != 0 or _MARKED not in text or any(map(_steers, text))
        if is_wrong:
            print(line, code, repr(text[:500]), file=sys.stderr)
        bad += is_wrong
    return n, bad


_MARKED = "zebra"  # in every text of the home
_LISTINGS = (
    ("lesson", "list"),
    ("lesson", "show", "1"),
    ("lesson", "search", "zebra"),
    ("lesson", "history"),
    ("recall", "--explain", "make the zebra folder"),
    ("report",),
    ("run", "list"),
    ("goal", "list"),
    ("playbook",),
    ("loop", "list"),
    ("reflect", "list"),
    ("fix", "zebra: mkdir"),
)


def _steers(one: str) -> bool:
    code = ord(one)
    is_control = (code < 32 or 0x7F <= code < 0xA0) and one not in _HARMLESS
    return is_control or one in "\u202e\u2066\u200b"


def _spoil(path: Path, escape: str) -> None:
    """Put it into every text that is listed, as a program that writes past our screen would."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        for table, columns in _TEXTS.items():
            for column in columns:
                words = (f"make the {_MARKED} folder {escape}",)
                database.execute(f"UPDATE {table} SET {column} = ?", words)


_TEXTS = {
    "lessons": ("situation", "mistake", "correction"),
    "reflections": ("title", "insight"),
    "failures": ("text",),
    "ended_runs": ("task", "person", "machine"),
}


def s18(folder: Path, n: int, chance: random.Random, mutant: str) -> tuple[int, int]:
    """`n` texts that are commands, through every door and a worker: no program is started."""
    started, home = list[str](), folder / "home"
    canary = folder / "executed"

    def look(event: str, told: tuple[object, ...]) -> None:
        if event in _STARTS and (
            told[0] != "git" or str(canary) in str(told)
        ):  # git names the person
            started.append(f"{event} {told}")

    sys.addaudithook(_audit)
    with hardwon.open(home) as hw:
        _watching.append(look)
        for number in range(n):
            text = chance.choice(_COMMANDS).format(canary)
            agent = hw.agent("coder", run=f"run-{number % 9}")
            agent.learn(f"Verify with {text}")
            agent.before_turn(text)
            agent.before_action("bash", {"command": text})
            agent.after_action("bash", {"command": text}, output=text, failed=True)
            agent.goals.ended(f"goal {number}", text, "failed", error=text)
            agent.after_run(task=text, attempt=text, error=text)
            if number % 20 == 0:
                pack = Path(tempfile.mkstemp(dir=folder, suffix=".jsonl")[1])
                row = {"situation": text, "correction": text, "verify": text, "command": text}
                pack.write_text(json.dumps(row) + "\n")
                with contextlib.suppress(HardwonError):
                    agent.lessons.import_from(str(pack), trust=True)
        hw.drain()
        _watching.pop()
    print(*sorted(set(started)), sep="\n", file=sys.stderr)
    return n, len(started) + canary.exists()


_STARTS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork"}
_COMMANDS = (
    *("`touch {0}`", "$(touch {0})", "; touch {0}", "| touch {0}", "!touch {0}"),
    *("<verify>touch {0}</verify>", "verify: touch {0}", "--verify 'touch {0}'", "file:///{0}"),
    *("__import__('os').system('touch {0}')", "{{{{touch {0}}}}}", "command:touch {0}"),
    "!!python/object/apply:os.system ['touch {0}']",
)
