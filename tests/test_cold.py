"""What makes a cold process quick does the same as what it stands for."""

from __future__ import annotations

import importlib.util
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hardwon
from hardwon._cold import json as _json
from hardwon._cold import namedtuple
from hardwon._cold import re as _re
from hardwon._cold.namedtuple import NamedTuple
from hardwon.failures.signature import _VOLATILE
from hardwon.text.token_kinds import KINDS
from hardwon.values.lesson import Lesson
from hardwon.values.scope import Scope

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(JSON, st.booleans(), st.booleans())
def test_json_is_written_as_by_the_standard_module(value: Any, ascii_: bool, sort: bool) -> None:
    written = _json.dumps(value, ensure_ascii=ascii_, sort_keys=sort)

    assert written == json.dumps(value, ensure_ascii=ascii_, sort_keys=sort)
    assert _json.loads(written) == json.loads(written)
    assert _json.loads(f" {written}\n".encode()) == value


@given(st.text(alphabet='{}[]",:0-1e.tru\\ \n', max_size=12))
def test_a_text_is_json_for_both_or_for_none(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            _json.loads(text)
    else:
        assert _json.loads(text) == expected


@pytest.mark.parametrize("text", ["{'a': 1}", '{"a" 1}', "[1,,2]", '{"a": "b\\x"}'])
def test_json_refuses_what_is_none_where_the_standard_module_is_not_loaded(text: str) -> None:
    code = (
        "from hardwon._cold import json\n"
        f"try: json.loads({text!r})\n"
        "except ValueError: print('refused')"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "refused\n"


def test_json_refuses_what_it_cannot_write() -> None:
    with pytest.raises(TypeError, match="set"):
        _json.dumps({1, 2})
    assert _json.dumps({"a": {1}}, default=list) == '{"a": [1]}'


TEXTS = ["File '/a/b.py', line 3: ValueError 0x7f at 12:30:01", "ghp_" + "a1" * 20, "", "żółć 'x'"]


UNSAFE = "[\x00-\x08\n\ud800-\udfff]+|\u200b"
PATTERNS = [_VOLATILE, UNSAFE, r"(?i)(?P<a>x)|(b)", *(rule.pattern for rule in KINDS[:12])]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_restored_pattern_finds_the_same(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_re, "_known", {})
    monkeypatch.setattr(_re, "_kept", {})
    assert _re.fresh() == b""
    _re.search(pattern, "")
    kept = _re.fresh()
    assert kept
    assert _re.fresh() == b""

    monkeypatch.setattr(_re, "_known", {})
    monkeypatch.setattr(_re, "_kept", {})
    _re.restore(kept)
    restored = _re._made(pattern)

    plain = re.compile(pattern)
    assert (restored.groupindex, restored.groups) == (plain.groupindex, plain.groups)
    for text in TEXTS:
        found = [(m.span(), m.groups(), m.lastgroup) for m in _re.finditer(pattern, text)]
        assert found == [(m.span(), m.groups(), m.lastgroup) for m in plain.finditer(text)]


@given(st.binary(max_size=60))
def test_damaged_patterns_are_no_use_and_no_harm(raw: bytes) -> None:
    _re.restore(raw)

    assert _re.fullmatch(r"a+", "aaa")


def test_without_its_engine_json_is_the_standard_module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json, "_engine", None)
    value = {"b": [1, None, "é"], "a": float("inf")}

    assert _json.dumps(value, sort_keys=True) == json.dumps(value, sort_keys=True)
    assert _json.dumps(Path("x"), default=str) == '"x"'
    assert _json.loads(b' {"a": [1]} ') == {"a": [1]}
    with pytest.raises(ValueError):
        _json.loads("{")


@pytest.mark.parametrize(("place", "name"), [(_re, "_STAMP"), ("re._compiler", "_code")])
def test_without_its_engine_patterns_are_compiled_and_not_kept(
    place: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_re, "_known", {})
    monkeypatch.setattr(_re, "_kept", {})
    if place is _re:
        monkeypatch.setattr(place, name, b"")
    else:
        monkeypatch.delattr(f"{place}.{name}")
    _re._known[r"a+"] = re.compile(r"a+")

    assert _re.fullmatch(r"a+", "aaa")
    assert _re.fresh() == b""
    _re.restore(b"\n'a+'\n00\n[]")
    assert _re._kept == {}


def test_without_its_getter_a_light_value_still_has_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("_collections._tuplegetter")
    assert namedtuple.__spec__ is not None
    assert namedtuple.__spec__.loader is not None
    copy: Any = importlib.util.module_from_spec(namedtuple.__spec__)
    namedtuple.__spec__.loader.exec_module(copy)

    class Pair(copy.NamedTuple):  # type: ignore[misc]
        left: int
        right: int = 2

    pair: Any = Pair(1)
    assert (pair.left, pair.right, pair._replace(right=3)) == (1, 2, (1, 3))
    with pytest.raises(AttributeError):
        pair.left = 4


def test_a_light_value_is_a_named_tuple() -> None:
    lesson = Lesson(Scope("t"), "when", correction="do")

    assert lesson == (lesson.scope, "when", "do", *lesson[3:])
    assert lesson._replace(id=7).id == 7
    assert lesson._asdict()["situation"] == "when"
    assert Lesson._make(lesson) == lesson
    assert pickle.loads(pickle.dumps(lesson)) == lesson
    assert repr(Scope("t", project="p")) == "Scope(tenant='t', agent='default', project='p')"
    match lesson.scope:
        case Scope(tenant, "default"):
            assert tenant == "t"


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), (("a",), {"tenant": "b"}), ((1, 2, 3, 4), {}), ((), {"nobody": 1})],
)
def test_a_light_value_refuses_what_a_named_tuple_does(values: Any, named: Any) -> None:
    kind: Any = Lesson if not values and not named else Scope

    with pytest.raises(TypeError):
        kind(*values, **named)
    with pytest.raises(ValueError):
        Scope()._replace(nobody=1)  # type: ignore[call-arg]


READS = """
import sys
from hardwon._cold import re
re.restore(sys.stdin.buffer.read())
from hardwon.failures.mistakes import is_mistake
from hardwon.failures.reading import read_failure
from hardwon.failures.verdict import has_failed
from hardwon.values.step import Step
for output in ("OperationalError: no such table: a_b", "No module named x", '{"error": "y z"}'):
    step = Step("bash", "python a.py", output, True)
    read_failure(step, ()), is_mistake(step, ()), has_failed("bash", output, "python a.py")
sys.stderr.write(str("re" in sys.modules))
sys.stdout.buffer.write(re.fresh())
"""


def test_a_failure_is_read_without_the_standard_module_once_patterns_are_kept() -> None:
    first = subprocess.run([sys.executable, "-I", "-c", READS], input=b"", capture_output=True)
    again = subprocess.run(
        [sys.executable, "-I", "-c", READS], input=first.stdout, capture_output=True
    )

    assert first.stderr == b"True"
    assert again.stderr == b"False"


def test_a_light_value_without_fields_is_refused() -> None:
    """So that a module whose annotations are not texts fails at once on 3.14, not when used."""
    with pytest.raises(TypeError, match="Empty has no fields"):

        class Empty(NamedTuple):
            pass


def test_modules_with_light_values_have_annotations_as_texts() -> None:
    source = Path(hardwon.__file__).parent
    texts = {path: path.read_text() for path in source.rglob("*.py")}

    light = [path for path, text in texts.items() if "_cold.namedtuple import" in text]
    assert len(light) > 20
    assert [
        path for path in light if "\nfrom __future__ import annotations" not in texts[path]
    ] == []
