"""Why a tool refused to read or to edit a file, in the words of many agents."""

from __future__ import annotations

import pytest

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.call_keys import canonical
from hardwon.knowledge.reading.file_refusals import refusal
from hardwon.knowledge.reading.reading import read_failure
from hardwon.knowledge.reading.situation import situation
from hardwon.knowledge.reading.verdict import has_failed
from tests.effort import NEVER_QUADRATIC, cpu_seconds

EDIT = {"file_path": "/w/a.py", "old_string": "def f(x):\n    y", "new_string": "def f(y):"}
EDITOR = {"command": "str_replace", "path": "/w/a.py", "old_str": "a\nb", "new_str": "c"}
CREATE = {"command": "create", "path": "/w/a.py", "file_text": "x"}
VIEW = {"command": "view", "path": "/w/a.py"}
READ = {"path": "/w/a.py"}
BLOCK = {"path": "a.py", "diff": "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"}
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"

ABSENT = "the text to replace is not in the file"
SEVERAL = "the text to replace is in the file several times"
UNREAD = "the file has not been read yet"
STALE = "the file has changed since it was read"
MISSING = "the file does not exist"
UNFIT = "the patch does not fit the file"
SAME = "the new text is the same as the old one"
EXISTS = "the file is there already"
RELATIVE = "the path is not absolute"
RANGE = "the lines are outside the file"

REFUSED: tuple[tuple[object, str, str], ...] = (
    (EDIT, "String to replace not found in file.\nString: def f(x):", ABSENT),
    (EDIT, "<tool_use_error>String to replace not found in file.</tool_use_error>", ABSENT),
    (
        EDITOR,
        "No replacement was performed, old_str `a\nb` did not appear verbatim in /w/a.",
        ABSENT,
    ),
    (EDITOR, "edit_file: error: No replacement was performed, old_str did not appear.", ABSENT),
    (EDITOR, "ERROR:\nNo replacement was performed, old_str `a` did not appear verbatim.", ABSENT),
    (EDIT, "Failed to edit, could not find the string to replace.", ABSENT),
    (EDIT, "Could not find edits[3] in /w/a.py. The oldText must match exactly.", ABSENT),
    (EDIT, "Error: Failed to edit, 0 occurrences found for old_string in /w/a.py.", ABSENT),
    (EDIT, "Error: oldString not found in content", ABSENT),
    (EDIT, "The string to replace was not found in the file.", ABSENT),
    (
        {"path": "a", "edits": [{"oldText": "x", "newText": "y"}]},
        "Could not find exact match",
        ABSENT,
    ),
    (BLOCK, "<error>The SEARCH block:\nx\n...does not match anything in the file.</error>", ABSENT),
    (BLOCK, "No sufficiently similar match found at line: 10 (88% similar)", ABSENT),
    (EDIT, "Found 3 matches of the string to replace, but replace_all is false.", SEVERAL),
    (EDITOR, "No replacement was performed. Multiple occurrences of old_str `a\nb`.", SEVERAL),
    (EDIT, "Failed to edit, expected 1 occurrence but found 3.", SEVERAL),
    (EDIT, "Error: oldString found multiple times and requires more code context", SEVERAL),
    (EDIT, "The specified string appears multiple times in the file.", SEVERAL),
    (EDIT, "old_string is not unique", SEVERAL),
    (EDIT, "<tool_use_error>File has not been read yet. Read it first.</tool_use_error>", UNREAD),
    ({"filePath": "/w/a", "content": "y"}, "Error: You must read the file /w/a before", UNREAD),
    (EDIT, "File has been modified since read, either by the user or by a linter.", STALE),
    (EDIT, "Error: File /w/a.py has been modified since it was last read.", STALE),
    (EDIT, "No changes to make: old_string and new_string are exactly the same.", SAME),
    (CREATE, "File already exists at: /w/a.py. Cannot overwrite files by `create`.", EXISTS),
    (CREATE, "ERROR:\nInvalid `path` parameter: /w/a.py. File already exists at: /w/a.py.", EXISTS),
    (VIEW, "The path /w/a.py does not exist. Please provide a valid path.", MISSING),
    (READ, "File does not exist. Current working directory: /w", MISSING),
    (READ, "File not found: /w/a.py", MISSING),
    (READ, "File not found: /w/a.py\nGive a path that exists.", MISSING),
    (READ, "Error: ENOENT: no such file or directory, open '/w/a.py'", MISSING),
    ({"absolute_path": "a.py"}, "File path must be absolute, but was relative: a.py.", RELATIVE),
    (VIEW, "The path a.py is not an absolute path, it should start with `/`.", RELATIVE),
    (READ, "EISDIR: illegal operation on a directory, read", "it is a directory, not a file"),
    (VIEW, "Invalid `view_range`: [9, 20]. It should be within the file: [1, 5]", RANGE),
    (PATCH, "apply_patch verification failed: Failed to find expected lines in /w/a.py:\nx", UNFIT),
    ({"input": PATCH}, "error: patch failed: a.py:10\nerror: a.py: patch does not apply", UNFIT),
    (
        PATCH,
        "apply_patch verification failed: Failed to read file to update a.py: No such file",
        MISSING,
    ),
    (PATCH, "Invalid patch: The last line must be '*** End Patch'", "the patch cannot be read"),
)

ACCEPTED: tuple[tuple[object, str], ...] = (
    (EDITOR, "The file /w/a.py has been edited.\n 1\traise ValueError('file not found')"),
    (EDIT, "The file /w/a.py has been updated."),
    (READ, "File not found\nis what the page says\nwhen there is none"),
    (READ, "     1→Error: File has not been read yet"),
    ({"pattern": "File", "path": "/w"}, "File does not exist"),
    ({"query": "x"}, "File does not exist"),
    (PATCH, "Success. Updated the following files:\nM a.py"),
)


@pytest.mark.parametrize(("args", "output", "reason"), REFUSED)
def test_a_refusal_is_seen_and_named_by_its_reason(args: object, output: str, reason: str) -> None:
    call = canonical(args)
    step = Step("any_tool", call, output, failed=True)
    failure = read_failure(step, ())

    assert has_failed("any_tool", output, call)
    assert failure is not None
    assert failure.text == f"any_tool: {reason}"
    assert situation(failure.text, step) == f"When `any_tool` fails because {reason}"


@pytest.mark.parametrize(("args", "output"), ACCEPTED)
def test_what_a_tool_shows_or_has_done_is_no_refusal(args: object, output: str) -> None:
    call = canonical(args)

    assert refusal("any_tool", call, output) == ""
    assert not has_failed("any_tool", output, call)


@pytest.mark.parametrize("piece", ["the file ", "no changes ", "\n", "<error>", "Error: "])
def test_no_result_is_read_for_long(piece: str) -> None:
    spent = cpu_seconds(refusal, "Edit", canonical(EDIT), piece * 50_000)

    assert spent < NEVER_QUADRATIC
