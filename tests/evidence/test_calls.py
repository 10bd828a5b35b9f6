"""Calls as they were really made."""

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.calls import calls_of, is_own


def _texts(command: str) -> list[str]:
    return [call.text for call in calls_of(Step("Bash", command))]


@pytest.mark.parametrize(
    ("command", "texts"),
    [
        ("yard stage a; yard list", ["yard stage a", "yard list"]),
        ('r(){ yard --as ops "$@"; }; r stage x', ["yard --as ops stage x"]),
        ('r() {\n  yard do "$1"\n}\nr stage', ["yard do stage"]),
        ('w(){ echo "== $*"; yard "$@"; }\nw list', ['echo "== $*"', "yard list"]),
        ("P='yard --as ops'\n$P stage", ["yard --as ops stage"]),
        ("for v in A B; do env $v=3 yard list; done; yard stage", ["yard stage"]),
        (
            """key() { yard get '{"a": "b"}' | cut -c1-3; }; yard put '{"k":"'$(key)'"}'""",
            ["""yard get '{"a": "b"}'""", "cut -c1-3", """yard put '{"k":"<key>"}'"""],
        ),
        ("get(){ yard x; }; yard y $(getent passwd)", ["yard y $(getent passwd)"]),
        ('key(){ vault read "$1"; }; yard put "$(key a/b)"', ["vault read a/b", "yard put <key>"]),
        ("""f(){ # don't\n yard seal "$1"; }\nf 3""", ["yard seal 3"]),
        ("export PATH=$PWD/bin:$PATH MODE=x; yard list", ["MODE=x yard list"]),
        ("yard list 2>/dev/null", ["yard list"]),
        ("cd web && yard list", ["cd web && yard list"]),
        ("", []),
        ("for v in A_B; do env $v=36 galley a.pg; done", []),  # what it stands for is not known
    ],
)
def test_functions_and_variables_are_replaced_by_what_they_stand_for(
    command: str, texts: list[str]
) -> None:
    assert _texts(command) == texts


@pytest.mark.parametrize(
    ("command", "shape"),
    [
        ("yard stage --window 26w14 --note 'a b c'", "yard stage --window --note"),
        ("""yard call docs.post '{"id": "D1", "key": 3}'""", "yard call docs.post id key"),
        ("PROFILE=x npm test", "PROFILE= npm test"),
        ("python3 scripts/fold.py --check", "python scripts/fold.py --check"),
        ("git commit -m 'srv/BOX-12 | add a route'", "git commit -m A/A-0"),
        ("git commit -m 'Add a route'", "git commit -m"),
        ("tm put c749ba6f 'Ein Text'", "tm put"),
        ("sed -i '' 's/a/b/' setup.cfg", "sed -i"),
    ],
)
def test_a_shape_keeps_what_stays_when_values_change(command: str, shape: str) -> None:
    (call,) = calls_of(Step("Bash", command))

    assert call.shape == shape


def test_a_tool_is_one_call_with_its_names() -> None:
    (call,) = calls_of(Step("book", '{"seats": 2, "day": "x"}'))

    assert (call.program, call.shape, call.is_tool) == ("book", "book day seats", True)


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("yard list", True),
        ("bin/test -q", True),
        ("test -f yard.toml", False),
        ("git status --short", False),
        ("cat yard.toml", False),
    ],
)
def test_a_call_is_the_projects_own_if_it_names_what_is_not_typed_everywhere(
    command: str, expected: bool
) -> None:
    assert is_own(calls_of(Step("Bash", command))[0]) is expected
