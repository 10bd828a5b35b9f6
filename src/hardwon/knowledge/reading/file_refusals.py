"""Why a tool that reads or edits files refused a call, independent of the tool's wording.

“String to replace not found in file” and “old_str … did not appear verbatim” are one failure. It is
named by its reason, never by the text to replace or by a path.
"""

from __future__ import annotations

import re
from typing import Any

from hardwon.knowledge.reading.authored import fields, path_in, writings
from hardwon.knowledge.reading.call_keys import PATCH

ABSENT = "the text to replace is not in the file"
SEVERAL = "the text to replace is in the file several times"
UNREAD = "the file has not been read yet"
STALE = "the file has changed since it was read"
EXISTS = "the file is there already"
MISSING = "the file does not exist"
RELATIVE = "the path is not absolute"
LONG = "the file is too long to be read at once"
UNFIT = "the patch does not fit the file"
_MARK = (
    r"(?:[a-z]\w{1,40}: (?=(?i:error)))?"  # the name of the tool
    r"(?:<(?:tool_use_)?error>|\[?(?i:error)\]?:|apply_patch verification failed:|\s){0,6}"
)
_OLD = (
    r"(?:(?:the|this) )?(?:specified |exact |given |provided )?"
    r"(?:(?:search |old |target )?(?:string|text|snippet|block|content)"
    r"|`?old_?(?:str|string|text)`?)"
    r"(?: to (?:replace|search for|edit))?"
)
_PATH_SAID = r"(?:Invalid `?path`? parameter: \S+ )?"
_REASONS = (  # the first that matches counts
    (
        SEVERAL,
        r"found \d+ matches (?:of|for) |found multiple matches|failed to edit, expected \d+ "
        r"|no replacement was performed\W{1,3}multiple |multiple (?:occurrences|matches) "
        rf"|{_OLD} (?:\S+ ){{0,3}}?(?:(?:multiple|several|\d+) times|is not unique)",
    ),
    (
        "the new text is the same as the old one",
        r"no changes (?:to make|to apply|detected|were made)"
        r"|(?:no replacement was performed\W{1,3})?`?(?:old|new)_?(?:str|string|text)`? and "
        r"`?\w+`? (?:are|must)",
    ),
    (
        ABSENT,
        r"no replacement was performed|failed to edit, (?:could not find|0 occurrences)"
        r"|could not find (?:the )?(?:exact |matching )?"
        r"(?:(?:match|text|string|block|content)\b|edits?\[\d+\] in )"
        r"|(?:the |this )?search(?:/replace)? block\b"
        r"|no (?:sufficiently |exact )?(?:similar )?match(?:es)? (?:was |were )?found (?:at|for) "
        rf"|{_OLD} (?:was |is |could |does |did )?not (?:be )?(?:found|exist|appear|match)",
    ),
    (
        UNREAD,
        r"(?:the )?file (?:\S+ )?(?:has not|hasn't|must) (?:yet )?be(?:en)? (?:fully )?read"
        r"|(?:you )?must (?:first )?read (?:the |this )?file|read the file (?:first|before)",
    ),
    (
        STALE,
        r"(?:the )?file (?:\S+ )?(?:has been|was) (?:unexpectedly |externally )?"
        r"(?:modified|changed)"
        r"|(?:the )?file (?:\S+ )?(?:has )?changed (?:on disk )?since",
    ),
    (EXISTS, rf"{_PATH_SAID}(?:the )?(?:file|path) (?:\S+ )?(?:already exists|exists already)"),
    (
        RELATIVE,
        rf"{_PATH_SAID}(?:the )?(?:file )?path (?:\S+ )?(?:must|should|is not|has to) (?:be )?"
        r"(?:an )?absolute",
    ),
    (
        "it is a directory, not a file",
        rf"eisdir\b|{_PATH_SAID}(?:the )?path (?:\S+ )?is a directory",
    ),
    (
        MISSING,
        rf"{_PATH_SAID}(?:the )?(?:file|path|directory)(?: or directory)? (?:\S+ )?"
        r"(?:does not exist|doesn't exist|not found|was not found)|enoent\b|no such file\b"
        r"|failed to read file[^\n]{0,300}no such file",
    ),
    (
        LONG,
        r"(?:the )?file (?:content )?(?:\([^)\n]{1,60}\) )?(?:is too (?:large|long|big)|exceeds )",
    ),
    (
        "the lines are outside the file",
        r"invalid `?view_range`?|(?:line|offset) (?:number )?\d+ is (?:out of|beyond|outside)",
    ),
    (
        UNFIT,
        r"failed to find (?:expected lines|context)|invalid context\b|patch failed\b"
        r"|(?:\S+ )?patch does not apply|hunk #?\d+ failed",
    ),
    ("the patch cannot be read", r"invalid (?:patch|hunk)\b"),
)
REASONS = frozenset(words for words, _ in _REASONS)
_SEARCHES = frozenset(["pattern", "query", "regex", "glob", "glob_pattern"])
_SHOWN = 2  # a refusal to show a file has at most this many lines
_HEAD = 1_000


def refusal(tool: str, args: str, output: str) -> str:
    """The reason of a refusal in plain words; "" if the call is not refused or not about a file."""
    if not _is_file_call(fields(args)):
        return ""
    if len(output.strip().splitlines()) > _SHOWN and not writings(tool, args):
        return ""
    head = output[:_HEAD]
    return next(
        (words for words, form in _REASONS if re.match(rf"(?i){_MARK}(?:{form})", head)), ""
    )


def _is_file_call(arguments: dict[str, Any]) -> bool:
    """Whether the arguments name a file to read or change, rather than a place to search."""
    is_named = bool(path_in(arguments)) and arguments.keys().isdisjoint(_SEARCHES)
    return is_named or any(
        isinstance(value, str) and PATCH in value for value in arguments.values()
    )
