from __future__ import annotations

from datetime import date

import pytest

from hardwon.core.errors import InvalidInput
from hardwon.storage.stores.markdown import insights
from hardwon.storage.stores.markdown.insights import Added, Note

NOTE = Note(
    key="0123456789ab",
    title="Use pnpm",
    body="Because of the lock file.",
    summary="Use pnpm.",
    session="s2",
    date=date(2026, 2, 4),
    tags=("C",),
    keywords=("z",),
)
KNOWN = """\
---
date: 2026-01-15
session: [s1]
tags: [A, B]
keywords: [x, y]
summary: Old summary.
sections: [One]
owner: me
---
# Mine

Own words.
"""


def test_a_new_file_holds_the_seeds_fields() -> None:
    text = insights.new_document(NOTE).text()

    assert text.startswith(
        "---\ndate: 2026-02-04\nsession: [s2]\ntags: [C]\nkeywords: [z]\nsummary: Use pnpm.\n"
        "sections: [Use pnpm]\n---\n"
    )
    assert "Because of the lock file." in text


def test_a_merge_follows_the_seeds_table() -> None:
    merged = insights.merge_note(insights.parse(KNOWN), NOTE)

    assert merged.front == {
        "date": date(2026, 2, 4),
        "session": ["s1", "s2"],
        "tags": ["A", "B", "C"],
        "keywords": ["x", "y", "z"],
        "summary": "Old summary; Use pnpm.",
        "sections": ["One", "Use pnpm"],
        "owner": "me",
    }
    assert merged.body.startswith("# Mine\n\nOwn words.\n")
    assert insights.has(merged.body, NOTE.key)


def test_the_same_note_of_the_same_session_changes_nothing() -> None:
    once = insights.merge_note(insights.parse(KNOWN), NOTE)

    assert insights.merge_note(once, NOTE) == once


def test_the_same_note_of_another_session_only_adds_the_session() -> None:
    once = insights.merge_note(insights.parse(KNOWN), NOTE)

    twice = insights.merge_note(once, NOTE._replace(session="s3"))

    assert twice.body == once.body
    assert twice.front["session"] == ["s1", "s2", "s3"]


def test_what_was_written_is_parsed_to_the_same() -> None:
    document = insights.merge_note(insights.parse(KNOWN), NOTE)

    assert insights.parse(document.text()) == document


def test_one_note_can_be_taken_out_again() -> None:
    later = NOTE._replace(key="b" * 12, title="Later", session="s3")
    both = insights.merge_note(insights.merge_note(insights.parse(KNOWN), NOTE), later)

    left = insights.without(both, Added(NOTE.key, NOTE.title, NOTE.summary, "s2"))

    assert left.front["session"] == ["s1", "s3"]
    assert left.front["sections"] == ["One", "Later"]
    assert not insights.has(left.body, NOTE.key)
    assert insights.has(left.body, later.key)


def test_a_file_without_front_matter_is_all_body() -> None:
    assert insights.parse("# Just text\n") == insights.Document({}, "# Just text\n")


@pytest.mark.parametrize(
    "front",
    [
        "a: &x [1]\nb: *x\n",
        "a: [1\n",
        "- not\n- fields\n",
        "a: b\n" * 50_000,
        "a: " + "[" * 5_000 + "\n",
        "a: !!python/object/apply:os.system [ls]\n",
    ],
)
def test_front_matter_that_is_not_safe_to_read_is_refused(front: str) -> None:
    with pytest.raises(InvalidInput, match="front matter"):
        insights.parse(f"---\n{front}---\nbody\n", "x.md")


def test_a_megabyte_without_an_end_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no end within"):
        insights.parse("---\n" + "a: b\n" * 200_000)


def test_a_title_becomes_a_file_name_that_stays_in_its_folder() -> None:
    assert insights.slug("npm: can't ../../find `x`!") == "npm-can-t-find-x.md"
    assert insights.slug("…") == "insight.md"
    assert insights.slug("a" * 59 + " b") == "a" * 59 + ".md"
    assert insights.slug("a" * 80) == "a" * 60 + ".md"


@pytest.mark.parametrize(("more", "is_read"), [(0, True), (2, False)])
def test_front_matter_has_an_end_within_its_limit(more: int, is_read: bool) -> None:
    end = "---\n"
    field = "a: " + "x" * (16 * 1024 - len("a: \n") - len(end) + more) + "\n"
    text = f"---\n{field}{end}body"

    if is_read:
        assert insights.parse(text).body == "body"
    else:
        with pytest.raises(InvalidInput, match="no end"):
            insights.parse(text)


def test_sections_of_the_same_title_are_numbered_from_two() -> None:
    document = insights.new_document(NOTE)
    for key in ("1" * 12, "2" * 12):
        document = insights.merge_note(document, NOTE._replace(key=key))

    assert document.front["sections"] == ["Use pnpm", "Use pnpm (2)", "Use pnpm (3)"]


def test_a_long_line_of_front_matter_is_not_broken() -> None:
    words = "word " * 700
    text = insights.Document({"summary": words.strip()}, "").text()

    assert len(text.splitlines()) == 3


@pytest.mark.parametrize(
    ("old", "new", "both"),
    [
        ("", "New.", "New."),
        ("Old.", "New.", "Old; New."),
        ("It is OLD news.", "old news", "It is OLD news."),
        ("o" * 500, "n" * 100, "o" * 297 + "…; " + "n" * 100),
        ("o" * 500, "n" * 500, "o" * 197 + "…; " + "n" * 199 + "…"),
        ("", "n" * 500, "n" * 399 + "…"),
    ],
)
def test_two_summaries_become_one_of_limited_length(old: str, new: str, both: str) -> None:
    document = insights.Document({"summary": old} if old else {}, "text\n")

    found = insights.merge_note(document, NOTE._replace(summary=new)).front["summary"]

    assert found == both
    assert len(found) <= 400


def test_evidence_is_added_to_the_section_of_its_note_and_taken_out_by_session() -> None:
    first = insights.new_document(NOTE._replace(evidence=("line 1",)))
    other = insights.merge_note(first, NOTE._replace(key="f" * 12, title="Other"))
    both = insights.merge_note(other, NOTE._replace(session="s3", evidence=("line 9",)))

    section = both.body.split("## Other")[0]
    assert section.count("Evidence:") == 1
    assert section.endswith("- session s2, line 1\n- session s3, line 9\n\n")
    assert both.body.count("## Other") == 1

    without = insights.without(both, Added(NOTE.key, NOTE.title, NOTE.summary, "s2"))
    assert "s2, line 1" not in without.body
    assert "- session s3, line 9" in without.body
    assert without.front["session"] == ["s3"]
