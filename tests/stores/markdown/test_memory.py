from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.storage.stores.markdown import memory
from hardwon.storage.stores.markdown.memory import Entry

ENTRY = Entry("0123456789ab", "2026-11-15", "Tools", "Use pnpm, not npm")
LINE = "- Use pnpm, not npm <!-- hardwon:0123456789ab 2026-11-15 -->\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, f"# Memory\n\n## Tools\n\n{LINE}"),
        ("# A", f"# A\n\n## Tools\n\n{LINE}"),  # without a last newline
        ("# A\r\n\r\n## Tools\r\n", f"# A\r\n\r\n## Tools\r\n{LINE[:-1]}\r\n"),
        ("# A\n\n## tools\n- a\n\n## B\n- x\n", f"# A\n\n## tools\n- a\n{LINE}\n## B\n- x\n"),
        ("## Tools and\n- a\n## Tools\n\n# End\n", f"## Tools and\n- a\n## Tools\n{LINE}\n# End\n"),
    ],
)
def test_an_entry_goes_below_its_own_topic(before: str | None, after: str) -> None:
    assert memory.with_entry(before, ENTRY) == after


def test_entries_are_read_back_and_taken_out() -> None:
    text = memory.with_entry("## Tools\n- mine\n", ENTRY)

    assert memory.entries(text) == [ENTRY]
    assert memory.without(text, ENTRY.key) == "## Tools\n- mine\n"


def test_an_index_of_files_is_told_from_topics() -> None:
    assert memory.is_index("# Memory\n\n- [Build](build.md) — how to build\n")
    assert not memory.is_index("# Memory\n\n## Tools\n- see [docs](docs.md) for more\n- other\n")
    assert not memory.is_index("")
    assert memory.is_index("- [Build](build.md) — x\n- other\n")
    assert not memory.is_index("- [Build](build.md) — x\n- other\n- other\n")


def test_an_index_gets_one_more_line() -> None:
    text = "- [Build](build.md) — how\n\nNotes below.\n"

    grown = memory.with_indexed(text, ENTRY, title="Use [pnpm]", file="use-pnpm.md")

    assert grown.splitlines()[1] == (
        "- [Use pnpm](use-pnpm.md) — Use pnpm, not npm <!-- hardwon:0123456789ab 2026-11-15 -->"
    )
    assert grown.endswith("\n\nNotes below.\n")


def test_an_index_keeps_its_line_ends() -> None:
    text = "# Memory\r\n- [Build](build.md)\r\n"

    grown = memory.with_indexed(text, ENTRY, title="pnpm", file="pnpm.md")

    assert grown.startswith(f"{text}- [pnpm](pnpm.md)")
    assert grown.endswith("-->\r\n")


def test_the_limits_are_two_hundred_lines_and_24_kb() -> None:
    assert memory.fits("x\n" * 200)
    assert not memory.fits("x\n" * 201)
    assert not memory.fits("x\n" * 200 + "y")
    assert not memory.fits("é" * 12_001)


@given(
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
    words=st.text(max_size=200),
    topic=st.text(max_size=40),
)
def test_no_line_of_a_person_is_ever_changed(text: str, words: str, topic: str) -> None:
    entry = Entry("0123456789ab", "2026-11-15", topic or "Tools", words or "x")

    grown = memory.with_entry(text, entry)

    before = [line for line in text.splitlines() if line.strip()]
    after = iter(line for line in grown.splitlines() if line.strip())
    assert all(line in after for line in before)  # still there, in order
    assert [one.key for one in memory.entries(grown)][-1:] == ["0123456789ab"]


def test_an_index_title_is_cut_and_has_no_brackets() -> None:
    text = memory.with_indexed("- [A](a.md)\n- b\n", ENTRY, title="[x] " + "t" * 90, file="t.md")

    first, new, last = text.splitlines()
    assert (first, last) == ("- [A](a.md)", "- b")
    assert new.startswith(f"- [x {'t' * 77}…](t.md) — Use pnpm")


def test_the_first_of_the_oldest_entries_leaves_but_never_the_new_one() -> None:
    text = ""
    for key, date in (("a" * 12, "2026-02-01"), ("b" * 12, "2026-01-01"), ("c" * 12, "2026-01-01")):
        text = memory.with_entry(text, ENTRY._replace(key=key, date=date))

    first, second = memory.oldest(text, but=""), memory.oldest(text, but="b" * 12)
    assert first
    assert second
    assert (first.key, second.key) == ("b" * 12, "c" * 12)
    assert memory.oldest("## Tools\n- mine, from 1999\n", but="") is None
