"""Evidence: typed, within caps, and never without its parents."""

import pytest

from hardwon.core.values.lesson import (
    Evidence,
    Kind,
    Lesson,
    evidence_of,
    join_evidence,
    parse_evidence,
    read_evidence,
)
from hardwon.core.values.scope import Scope


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("job:1", Evidence("job", "1")),
        ("met: `a` → b", Evidence("met", "`a` → b")),
        ("differs-from:7", Evidence("differs-from", "7")),
        ("a sentence: with a colon", Evidence("note", "a sentence: with a colon")),
        ("no colon", Evidence("note", "no colon")),
        (":", Evidence("note", ":")),
    ],
)
def test_text_of_earlier_builds_becomes_a_record(text: str, piece: Evidence) -> None:
    assert parse_evidence(text) == piece


def test_a_record_reads_as_the_text_it_was() -> None:
    assert str(Evidence(Kind.JOB, "1", 12.0)) == "job:1"


def test_the_newest_of_each_kind_are_kept() -> None:
    quotes = [Evidence(Kind.MET, str(number)) for number in range(30)]
    jobs = [Evidence(Kind.JOB, str(number)) for number in range(3)]

    kept = Lesson(Scope(), "", "", evidence=join_evidence(jobs, quotes))

    assert evidence_of(kept, Kind.MET) == tuple(str(number) for number in range(22, 30))
    assert evidence_of(kept, Kind.JOB) == ("0", "1", "2")


@pytest.mark.parametrize("kind", [Kind.PARENT, Kind.QUARANTINED, Kind.APPROVED])
def test_descent_and_decisions_are_never_dropped(kind: str) -> None:
    pieces = [Evidence(kind, str(number)) for number in range(500)]

    assert len(join_evidence(pieces, [Evidence("whatever", str(n)) for n in range(500)])) == 550


def test_a_piece_is_kept_once() -> None:
    assert join_evidence([Evidence("job", "1", 1.0)], [Evidence("job", "1", 2.0)]) == (
        Evidence("job", "1", 2.0),
    )


def test_records_and_text_can_be_mixed() -> None:
    assert read_evidence([["job", "1", 3], "parent:4"]) == (
        Evidence("job", "1", 3.0),
        Evidence("parent", "4"),
    )
