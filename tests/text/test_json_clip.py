"""Events of any size are read in little memory, and their beginning and end are understood."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hardwon
from hardwon.core.errors import InvalidInput
from hardwon.core.text import json_clip
from tests.surfaces.hooks.hooking import Hook

ERROR = "mkdir: cannot create directory 'out/nightly': No such file or directory"
CALL = {"tool_name": "Bash", "tool_input": {"command": "mkdir out/nightly"}}
# 50 MB of what makes clipping hard: escapes, quotes, characters of several bytes
NOISE = 'a "quoted" \\ back\\slash\n\té世界 😀 ' * 1_100_000


def failure(session: str, output: str) -> dict[str, Any]:
    event = {"hook_event_name": "PostToolUseFailure", "session_id": session, **CALL}
    return {**event, "error": output, "duration_ms": 5}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits at which every boundary is met soon."""
    for name, value in {"PLAIN": 0, "_CHUNK": 7, "_HEAD": 20, "_TAIL": 30, "_MARGIN": 2}.items():
        monkeypatch.setattr(json_clip, name, value)


TEXTS = st.text(alphabet='a g"\\/\n\x00é世😀u0', max_size=300)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.usefixtures("small")
@settings(deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=4), st.booleans())
def test_what_is_left_is_the_same_json_with_shorter_texts(value: Any, ascii_: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_).encode()

    left = json_clip.clip_json(io.BytesIO(raw).read)

    assert _alike(json.loads(left), value)


def _alike(left: Any, whole: Any) -> bool:
    if isinstance(whole, dict):
        pairs = zip(left.items(), whole.items(), strict=False)
        return all(_alike(a, c) and _alike(b, d) for (a, b), (c, d) in pairs)
    if isinstance(whole, list):
        return len(left) == len(whole) and all(map(_alike, left, whole))
    if isinstance(whole, str) and left != whole:
        head, mark, rest = left.partition(" … ")
        tail = rest.partition(" bytes left out …")[2]
        return bool(mark) and whole.startswith(head) and (whole.endswith(tail) or not tail)
    return bool(left == whole)


def test_an_event_of_usual_size_is_taken_as_it_is() -> None:
    raw = json.dumps({"a": "x" * 500_000, "b": NOISE[:100_000]}).encode()

    assert json_clip.clip_json(io.BytesIO(raw).read) == raw


def test_too_much_without_any_long_text_is_refused() -> None:
    raw = b"[" + b'"some words",' * 800_000 + b"1]"

    with pytest.raises(InvalidInput, match=str(len(raw))):
        json_clip.clip_json(io.BytesIO(raw).read)


def test_the_failure_at_the_end_of_50_megabytes_is_known_again(tmp_path: Path) -> None:
    hook = Hook(tmp_path / "home")
    assert hook("claude-code", failure("one", ERROR)).code == 0
    works = {"tool_name": "Bash", "tool_input": {"command": "mkdir -p out/nightly"}}
    event = {"hook_event_name": "PostToolUse", "session_id": "one", **works}
    assert hook("claude-code", {**event, "tool_response": {"stdout": ""}}).code == 0

    seen = hook("claude-code", failure("two", f"{NOISE}\n{ERROR}"))

    assert "[SAME FAILURE " in seen.answer["hookSpecificOutput"]["additionalContext"]
    assert (seen.code, seen.err, seen.log) == (0, "", [])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_50_megabytes_take_no_more_memory_than_five(tmp_path: Path) -> None:
    peaks = [_peak(tmp_path, failure("s", NOISE[: len(NOISE) // part])) for part in (10, 1)]

    assert peaks[1] < peaks[0] + 4_000  # kilobytes; the event has grown by 45,000


def _peak(home: Path, event: dict[str, Any]) -> int:
    """Kilobytes that the hook held at most."""
    code = (
        "import os, sys\n"
        f"sys.path.append({str(Path(hardwon.__file__).parents[1])!r})\n"
        "from hardwon.surfaces.hooks.client import run\n"
        "status = lambda: open('/proc/self/status').read()\n"
        "os._exit = lambda code: print(status(), file=sys.stderr)\n"
        "run(['claude-code'])"
    )
    environ = {"HARDWON_HOME": str(home / "home"), "HARDWON_HOOKS_LIMIT": "60s"}
    environ |= {"HARDWON_HOOKS_DAEMON": "false"}
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code],
        input=json.dumps(event).encode(),
        capture_output=True,
        env=environ,
    )
    found = re.search(rb"VmHWM:\s+(\d+)", ran.stderr)  # ru_maxrss would count the parent's memory
    assert found, ran.stderr
    return int(found[1])
