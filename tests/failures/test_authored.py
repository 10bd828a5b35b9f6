"""What a run wrote itself is known from its calls."""

from __future__ import annotations

import json

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.authored import (
    Writing,
    edits_source,
    fields,
    is_coined,
    is_shell,
    made_files,
    part_edits_source,
    path_in,
    stem,
    tail,
    text_of,
    writings,
)
from hardwon.knowledge.reading.shell import parse

PATCH = (
    "*** Begin Patch\n*** Update File: lib/a.py\n@@ def f\n keep\n-old\n+new\n@@\n-x\n+y\n"
    "*** Add File: lib/b.py\n+fresh\n*** End Patch"
)


def ran(command: str) -> Step:
    return Step("bash", command)


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("cat > a.py <<'E'\nx = 1\nE", [Writing("a.py", "x = 1\n")]),
        ("echo x | tee a.txt", [Writing("a.txt")]),
        ("touch a.py b.py", [Writing("a.py"), Writing("b.py")]),
        ("mkdir lib", [Writing("lib")]),
        ("cp a.py b.py", [Writing("b.py")]),
        ("mv a.py", []),
        ("make > out.log", [Writing("out.log")]),
        ("sed -i s/old/new/ a.py", [Writing("a.py", "", "old", "new", is_edit=True)]),
        ("sed -i 's|a/b|c|g' a.py", [Writing("a.py", "", "a/b", "c", is_edit=True)]),
        ("sed -i '3s/a\\.b/c/' a.py", [Writing("a.py", "", "a.b", "c", is_edit=True)]),
        ("sed -i '/x/d' a.py b.py", [Writing(p, is_edit=True) for p in ("a.py", "b.py")]),
        ("sed -n 1,3p a.py", []),
        ("python - <<'E'\nopen('a.txt', 'w')\nE", [Writing("a.txt", is_edit=True)]),
        ("python - <<'E'\nPath('a.txt').write_text('')\nE", [Writing("a.txt", is_edit=True)]),
        ("python - <<'E'\nopen('a.txt')\nE", []),
        ("ls a.py", []),
    ],
)
def test_a_command_writes_these_files(call: str, written: list[Writing]) -> None:
    assert list(writings("bash", call)) == written


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        ({"path": "a.py", "content": "x"}, [Writing("a.py", "x")]),
        (
            {"file_path": "a.py", "old_string": "x", "new_string": "y"},
            [Writing("a.py", "", "x", "y", is_edit=True)],
        ),
        (
            {"path": "a.py", "insert_text": "y"},
            [Writing("a.py", "", "", "y", is_edit=True)],
        ),
        (
            {"path": "a.py", "edits": [{"oldText": "x", "newText": "y"}, 3]},
            [Writing("a.py", "", "x", "y", is_edit=True)],
        ),
        (
            {"path": "a.py", "diff": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"},
            [Writing("a.py", "", "x\n", "y\n", is_edit=True)],
        ),
        ({"path": "a.py"}, []),
        ({"content": "x"}, []),
        ({"path": 3, "content": "x"}, []),
    ],
    ids=["whole", "edit", "insert", "edits", "blocks", "a look", "no path", "a path of no text"],
)
def test_a_tool_writes_these_files(arguments: dict[str, object], written: list[Writing]) -> None:
    assert list(writings("edit", json.dumps(arguments))) == written


@pytest.mark.parametrize("call", [PATCH, json.dumps({"note": 1, "input": PATCH})])
def test_each_hunk_of_a_patch_is_an_edit_and_a_new_file_is_whole(call: str) -> None:
    assert list(writings("apply_patch", call)) == [
        Writing("lib/a.py", "", "keep\nold\n", "keep\nnew\n", is_edit=True),
        Writing("lib/a.py", "", "x\n", "y\n", is_edit=True),
        Writing("lib/b.py", "fresh\n", "", "fresh\n"),
    ]


def test_code_given_to_an_interpreter_edits_what_it_opens_to_write() -> None:
    code = "open('a.txt', 'a').write('x')\nopen('b.txt')"

    assert list(writings("python_repl", code)) == [Writing("a.txt", is_edit=True)]
    assert not is_shell(Step("python_repl", code))
    assert not is_shell(Step("edit", "{}"))
    assert is_shell(ran("make"))


@pytest.mark.parametrize("args", ["make", "[1]", '{"a": ', '{"a": ' * 5000])
def test_only_an_object_has_fields(args: str) -> None:
    assert fields(args) == {}


def test_a_path_is_the_first_known_name_that_holds_a_text() -> None:
    assert path_in({"path": "", "file": "b.py", "target_file": "c.py"}) == "b.py"
    assert path_in({"path": 7}) == ""


@pytest.mark.parametrize(
    ("path", "last", "bare"),
    [
        ("a/b/c.tar.gz", "c.tar.gz", "c"),
        ("a/b/", "b", "b"),
        ("/x/.env", ".env", ".env"),
        ("'a/b.py'", "b.py", "b"),
    ],
)
def test_the_name_of_a_path(path: str, last: str, bare: str) -> None:
    assert (tail(path), stem(path)) == (last, bare)


@pytest.mark.parametrize(
    ("name", "is_own"),
    [
        ("try.py", True),
        ("TRY", True),
        ("try.py::test_a", True),
        ("lib/shop/try.py", True),
        ("shop", True),
        ("lib", False),
        ("other.py", False),
        ("known.py", False),
        ("x", False),
    ],
)
def test_a_run_coined_the_names_of_the_files_it_made(name: str, is_own: bool) -> None:
    steps = [
        ran("cat > lib/shop/try.py <<'E'\nknown\nE"),
        ran("sed -i s/a/b/ known.py"),
        ran("touch x"),
    ]

    assert is_coined(name, steps) is is_own


@pytest.mark.parametrize(
    ("edits", "text"),
    [
        ([], "a = 1\nb = 2\n"),
        (["sed -i 's/a = 1/a = 3/' t.py"], "a = 3\nb = 2\n"),
        (["sed -i 's/z = 1/a = 3/' t.py"], ""),
        (["sed -i 's/a = 1/a = 3/' other.py"], "a = 1\nb = 2\n"),
        (["cat > t.py <<'E'\nnew\nE"], "new\n"),
        (["sed -i '/a/d' t.py"], ""),
    ],
    ids=["as written", "edited", "edited unseen", "another file", "anew", "by a rule"],
)
def test_the_text_of_a_file_is_known_as_long_as_all_its_edits_are(
    edits: list[str], text: str
) -> None:
    steps = [ran("cat > t.py <<'E'\na = 1\nb = 2\nE"), *map(ran, edits)]

    assert text_of("/work/t.py", steps) == text


@pytest.mark.parametrize(
    ("call", "is_edit"),
    [
        ("sed -i s/a/b/ src/io.py", True),
        ("sed -i s/a/b/ mine.py", False),
        ("cat > src/io.py <<'E'\nx\nE", True),
        ("cat > io.py <<'E'\nx\nE", False),
        ("sed -i s/a/b/ src/io.py.bak", False),
        ("touch src/io.py", False),
    ],
)
def test_sources_are_what_the_run_did_not_make(call: str, is_edit: bool) -> None:
    assert edits_source(ran(call), [ran("cat > mine.py <<'E'\nx\nE")]) is is_edit


@pytest.mark.parametrize(
    ("call", "is_edit"),
    [
        ("cp fixed.py src/io.py", True),
        ("cp fixed.py io.py", False),
        ("mv src/io.py src/io.py.bak", False),
        ("ls src/io.py", False),
    ],
)
def test_what_is_copied_over_a_source_edits_it(call: str, is_edit: bool) -> None:
    assert part_edits_source(parse(call)[0], []) is is_edit


def test_a_file_that_was_listed_before_is_no_file_of_the_run() -> None:
    listed = Step("bash", "ls scripts", "build.js\nmake.js")
    steps = [
        listed,
        *(Step("bash", f"cat > scripts/{name} <<E\nx\nE") for name in ("build.js", "ke.js")),
    ]
    assert made_files(steps) == {"ke.js"}
    assert made_files(steps[1:]) == {"build.js", "ke.js"}
