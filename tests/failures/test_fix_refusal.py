"""What a tool for files wants before it edits."""

from __future__ import annotations

from tests.failures.fix_cases import applied_in, case, edit, editor, shown_by, told_apart, tool

PATCH = "*** Begin Patch\n*** Update File: lib/cart.py\n@@\n-{}\n+total = 0\n*** End Patch"

ABSENT = "!No replacement was performed, old_str `{}` did not appear verbatim in /w/cart.py."

SEVERAL = "!No replacement was performed. Multiple occurrences of old_str `x` in lines [3, 9]."

UNREAD = "!<tool_use_error>File has not been read yet. Read it first.</tool_use_error>"

DONE = "The file /w/cart.py has been edited."


CASES = (
    case(
        "a whole path for a file server",
        (tool("read_file", path="src/a.ts"), "!Error: path must be absolute, access denied"),
        (tool("read_file", path="/srv/repo/src/a.ts"), "export {}"),
        sort="argument",
        says=("`path`", "from the root"),
        never=("/srv/repo",),
    ),
    case(
        "text that is not unique",
        (
            tool("edit", file_path="a.py", old_string="x", new_string="y"),
            "!old_string is not unique",
        ),
        (tool("edit", file_path="a.py", new_string="z\ny", old_string="z\nx"), "ok"),
        sort="argument",
        says=("Make `old_string` unique",),
    ),
    case(
        "a file that has to be read first",
        (
            tool("Edit", file_path="/a/b.py", new_string="y", old_string="x"),
            "!File has not been read yet",
        ),
        (tool("Read", file_path="/a/b.py"), "x"),
        (tool("Edit", file_path="/a/b.py", new_string="y", old_string="x"), "ok"),
        sort="preparation",
        says=("`Read`", "first"),
        never=("b.py",),
    ),
    case(
        "a table that has to be described first",
        (tool("run_query", sql="select naem from t"), '!column "naem" does not exist'),
        (tool("describe_table", table="t"), '{"columns": ["name"]}'),
        (tool("run_query", sql="select name from t"), "1"),
        sort=None,
    ),
    case(
        "text that is in the file in another form",
        (editor("str_replace", old_str="a:\n  b", new_str="c"), ABSENT.format("a:\n  b")),
        (editor("view"), "1 a:\n2     b"),
        (editor("str_replace", old_str="a:\n    b", new_str="c"), DONE),
        sort="argument",
        says=("Look at the lines first (`view`) and copy `old_str`",),
        never=("Leave out", "cart"),
    ),
    case(
        "text that a shell has shown",
        (editor("str_replace", old_str="a:\n  b", new_str="c"), ABSENT.format("a:\n  b")),
        ("sed -n 1,9p /w/cart.py", "a:\n    b"),
        (editor("str_replace", old_str="a:\n    b", new_str="c"), DONE),
        sort="argument",
        says=("(`sed`)",),
    ),
    case(
        "text that is looked for in another file",
        (editor("str_replace", old_str="a:\n  b", new_str="c"), ABSENT.format("a:\n  b")),
        ("sed -n 1,9p /w/other.py", "a:\n    b"),
        (editor("str_replace", old_str="a:\n    bb", new_str="c"), DONE),
    ),
    case(
        "fewer lines of text",
        (editor("str_replace", old_str="a\nb\n c", new_str="d"), ABSENT.format("a\nb\n c")),
        (editor("str_replace", old_str="a\nb", new_str="d"), DONE),
        sort="argument",
        says=("Give fewer lines as `old_str`",),
    ),
    case(
        "a view after a refusal",
        (editor("str_replace", old_str="a", new_str="c"), ABSENT.format("a")),
        (editor("view"), "1 b"),
    ),
    case(
        "text that is there twice",
        (editor("str_replace", old_str="x", new_str="y"), SEVERAL),
        (editor("view"), "1 z\n2 x"),
        (editor("str_replace", old_str="z\nx", new_str="z\ny"), DONE),
        sort="argument",
        says=("Make `old_str` unique",),
        never=("Leave out",),
    ),
    case(
        "text that is there twice, then another edit",
        (editor("str_replace", old_str="x", new_str="y"), SEVERAL),
        (editor("str_replace", old_str="q", new_str="r"), DONE),
    ),
    case(
        "text that is there twice, all meant",
        (edit("x"), "!Found 2 matches of the string to replace, but replace_all is false."),
        (edit("x", replace_all=True), DONE),
        sort="argument",
        says=("Pass `replace_all`",),
    ),
    case(
        "a file that has to be read before another edit of it",
        (edit("x"), UNREAD),
        (tool("Read", file_path="/w/cart.py"), "1 xyz"),
        (edit("xyz"), DONE),
        sort="preparation",
        says=("Call `Read` first, then `Edit` again",),
    ),
    case(
        "a file that has changed since",
        (edit("x"), "!File has been modified since read, either by the user or by a linter."),
        (tool("Read", file_path="/w/cart.py"), "1 xyz"),
        (edit("xyz"), DONE),
        sort="preparation",
        says=("Call `Read` first",),
    ),
    case(
        "another file after a refusal",
        (edit("x"), UNREAD),
        (tool("Read", file_path="/w/b.py"), "1 x"),
        (tool("Edit", file_path="/w/b.py", new_string="y", old_string="x"), DONE),
    ),
    case(
        "a patch of lines that are otherwise",
        (
            tool("apply_patch", patch=PATCH.format("total=1")),
            "!apply_patch verification failed: Failed to find expected lines in /w/lib/cart.py:",
        ),
        ("sed -n 1,20p lib/cart.py", "total = 1"),
        (tool("apply_patch", patch=PATCH.format("total = 1")), "Success. Updated the following"),
        sort="argument",
        says=("copy the context of the patch",),
    ),
    case(
        "a file that is there already",
        (editor("create", file_text="x"), "!File already exists at: /w/cart.py. Cannot overwrite."),
        (editor("view"), "1 y"),
        (editor("str_replace", old_str="y", new_str="x"), DONE),
        sort="argument",
        says=("Give `command` as `str_replace`",),
    ),
    case(
        "a file that is there already, by another tool",
        (tool("create_file", content="x", path="/w/cart.py"), "!File already exists."),
        (tool("edit_file", new_text="x", old_text="y", path="/w/cart.py"), "ok"),
        sort="tool",
        says=("Use `edit_file` to change a file that is there",),
    ),
    case(
        "a path that was guessed",
        (tool("read_file", path="/w/src/cart.py"), "!File not found: /w/src/cart.py"),
        (tool("glob", pattern="**/cart.py"), "/w/lib/cart.py"),
        (tool("read_file", path="/w/lib/cart.py"), "total = 0"),
        sort="preparation",
        says=("Look the path up first (`glob`)",),
        never=("/w/lib",),
    ),
    case(
        "another file than the one that is not there",
        (tool("read_file", path="/w/src/cart.py"), "!File not found: /w/src/cart.py"),
        (tool("read_file", path="/w/lib/user.py"), "name = 0"),
    ),
    case(
        "a path from the root",
        (
            tool("read_file", absolute_path="lib/cart.py"),
            "!File path must be absolute, but was relative: lib/cart.py.",
        ),
        (tool("read_file", absolute_path="/w/lib/cart.py"), "total = 0"),
        sort="argument",
        says=("`absolute_path` as a path from the root",),
    ),
    case(
        "a file that is too long",
        (
            tool("Read", file_path="/w/big.json"),
            "!File content (48213 tokens) exceeds maximum allowed tokens (25000). "
            "Please use offset and limit parameters.",
        ),
        (tool("Read", file_path="/w/big.json", limit=200, offset=1), "{"),
        sort="argument",
        says=("Pass `limit`", "`offset`"),
    ),
    case(
        "sources that were mended before tests ran again",
        (tool("run_tests", path="tests"), "!1 failed, 3 passed in 0.1s"),
        (edit("x"), DONE),
        (tool("run_tests", path="tests"), "4 passed in 0.1s"),
    ),
    case(
        "text that is looked up and refused for another reason",
        (editor("str_replace", old_str="a:\n  b", new_str="c"), ABSENT.format("a:\n  b")),
        (editor("view"), "1 a:\n2     b"),
        (editor("str_replace", old_str="a:\n    b", new_str="c"), "!Permission denied"),
    ),
    case(
        "text that is looked up, then another file",
        (editor("str_replace", old_str="a:\n  b", new_str="c"), ABSENT.format("a:\n  b")),
        (editor("view"), "1 a:\n2     b"),
        (
            tool(
                "str_replace_editor",
                command="str_replace",
                path="/w/b.py",
                old_str="a:\n    b",
                new_str="c",
            ),
            "The file /w/b.py has been edited.",
        ),
    ),
    case(
        "text that is there the second time",
        (editor("str_replace", old_str="a:\n  b", new_str="c"), ABSENT.format("a:\n  b")),
        (editor("view"), "1 a:\n2   b"),
        (editor("str_replace", old_str="a:\n  b", new_str="c"), DONE),
    ),
    case(
        "text of one edit among several",
        (
            tool("edit", path="/w/cart.py", edits=[{"oldText": "a:\n  b", "newText": "c"}]),
            "!Could not find exact match",
        ),
        (tool("read", path="/w/cart.py"), "a:\n    b"),
        (
            tool("edit", path="/w/cart.py", edits=[{"oldText": "a:\n    b", "newText": "c"}]),
            "edited",
        ),
        sort="argument",
        says=("(`read`) and copy `oldText`",),
    ),
    case(
        "a shorter patch without a look",
        (
            tool("apply_patch", patch=PATCH.format("x = 1\n-y = 2")),
            "!apply_patch verification failed: Failed to find expected lines in /w/lib/cart.py:",
        ),
        (tool("apply_patch", patch=PATCH.format("x = 1")), "Success. Updated the following"),
    ),
    case(
        "a file that could not be read either",
        (edit("x"), UNREAD),
        (tool("Read", file_path="/w/cart.py"), "!the device is busy"),
        (edit("x"), DONE),
    ),
    case(
        "a file that was read, then written by another tool",
        (edit("x"), UNREAD),
        (tool("Read", file_path="/w/cart.py"), "1 x"),
        (tool("Write", file_path="/w/cart.py", content="total = 0"), DONE),
    ),
    case(
        "a file that is there already and is written over",
        (editor("create", file_text="x"), "!File already exists at: /w/cart.py. Cannot overwrite."),
        (tool("Write", file_path="/w/cart.py", content="x"), DONE),
    ),
    case(
        "a path that was looked up for another tool",
        (tool("Read", file_path="/w/cart.py"), "!File does not exist."),
        ("ls /w/lib", "cart.py\nshop.py"),
        (tool("Show", file_path="/w/lib/cart.py"), "1 x"),
    ),
    case(
        "a file that came into being",
        (tool("Read", file_path="/w/cart.py"), "!File does not exist."),
        ("ls /w", "cart.py\nshop.py"),
        (tool("Read", file_path="/w/cart.py"), "1 x"),
    ),
    case(
        "a path that was known when it was looked at",
        (tool("Read", file_path="/w/cart.py"), "!File does not exist."),
        ("ls /w/lib/cart.py", "/w/lib/cart.py"),
        (tool("Read", file_path="/w/lib/cart.py"), "1 x"),
    ),
    case(
        "a path that another file mentions",
        (tool("Read", file_path="/w/cart.py"), "!File does not exist."),
        (tool("Read", file_path="/w/shop.py"), "1 # see lib/cart.py"),
        (tool("Read", file_path="/w/lib/cart.py"), "1 x"),
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES, besides={"a path that was guessed"})
test_a_call_applies_a_fix_or_not = told_apart(
    CASES,
    [
        ("a file that has to be read first", tool("Read", file_path="/z"), tool("Edit", a=1)),
    ],
)
