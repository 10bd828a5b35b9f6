"""What a model says about a run is kept only as far as its steps show it."""

from __future__ import annotations

from typing import Any

import pytest

from hardwon import Step
from hardwon.core.text.grounding import missing
from hardwon.learn.reader.answer import Item
from hardwon.learn.reader.changes import check_items, contradicts, is_same, without_values
from tests.samples import lesson

STEPS = (
    Step("bash", 'ops call refunds.draft \'{"order": "10482"}\'', "E403 denied", failed=True),
    Step("bash", 'ops --profile finance call refunds.draft \'{"order": "ord_1"}\'', "D1"),
    Step("bash", "cat config/seal.toml && make check", "reports ok"),
)
DO = 'Put the profile first: `ops --profile finance call refunds.draft \'{"order": "<ref>"}\'`.'


def item(do: str = DO, **more: Any) -> Item:
    return Item("opening a document", do, steps=(2,), sort="pitfall")._replace(**more)


def kept(given: Item, task: str = "Refund order 10482", **known: Any) -> Item | None:
    result = check_items([given], task=task, steps=STEPS, **{"known": {}, **known})
    return result.items[0] if result.items else None


def test_what_the_steps_show_is_kept_word_for_word() -> None:
    assert kept(item()) == item()


@pytest.mark.parametrize(
    "do",
    [
        "Use `ops  --profile finance   call refunds.draft`.",
        "Use `ops --profile <profile> call refunds.draft`.",
        "Use `ops --profile finance call …`.",
        'Use `ops --profile finance call refunds.draft "{order: <ref>}"`.',
        "Write dates as `DD-MON-YYYY` and read `config/seal.toml`.",
        "Run `make check` with `OPS call` and/or e.g. a report.",
        "Name the part `ops-TARGET`.",
        "References look like `ord_77`.",  # another value in a form that the steps show
    ],
)
def test_blanks_quotes_and_placeholders_make_no_difference(do: str) -> None:
    assert kept(item(do)) == item(do)


@pytest.mark.parametrize(
    ("do", "name"),
    [
        ("Use `ops --force call refunds.draft` here.", "--force"),
        ("Read `config/other.toml` before you start.", "config/other.toml"),
        ("Set it: `OPS_PROFILE=finance ops call refunds.draft`.", "ops_profile"),
        ("Pass --skip-checks to the program.", "--skip-checks"),
        ("Call `ops call refunds.cancel` first.", "refunds.cancel"),
        ("Use `ops --prof finance call refunds.draft`.", "--prof"),
        ("Wait 30 seconds: `make check 30`.", "30"),
        ("References look like `cus_77` here.", "cus_77"),
    ],
)
def test_an_item_with_an_invented_name_is_refused(do: str, name: str) -> None:
    result = check_items([item(do)], task="", steps=STEPS, known={})

    assert result.items == ()
    assert name in result.refused[0].why


def test_only_the_sentence_with_the_invented_name_goes_when_the_rest_stands() -> None:
    result = check_items([item(f"{DO} Or use `ops --force`.")], task="", steps=STEPS, known={})

    assert result.items == (item(),)
    assert "--force" in result.refused[0].why


def test_the_words_of_the_item_that_is_changed_count_as_shown() -> None:
    before = lesson("Use `ops --audit` in the audit room.")
    change = item("Use `ops --audit`, then `make check`.", id=1)

    assert kept(change, known={1: before}) == change
    assert kept(change) is None


@pytest.mark.parametrize("steps", [(), (0,), (4,), (99,)])
def test_an_item_that_no_step_shows_is_refused(steps: tuple[int, ...]) -> None:
    assert kept(item(steps=steps)) is None


def test_steps_that_do_not_exist_are_left_out() -> None:
    cited = kept(item(steps=(0, 2, 99)))

    assert cited is not None
    assert cited.steps == (2,)


@pytest.mark.parametrize(
    ("said", "general"),
    [
        ("order 10482 of the ticket", "order <id> of the ticket"),
        ("the file reports/10482.md", "the file reports/<id>.md"),
        ("ticket BOX-412 in the header", "ticket <id> in the header"),
        ("write to jane.doe@example.org", "write to <mail>"),
        ("commit 17a3ec9 is the base", "commit <id> is the base"),
        ("session 8c1f0e2a-9b1d-4c55-8e2f-0123456789ab", "session <id>"),
        ("token aB3dE5fG7hJ9kL1mN", "token <id>"),
        ("in /home/jane/work/app", "in ~/work/app"),
        ("cost centre 4100 of care", "cost centre 4100 of care"),
        ("give it --widths 480,10482", "give it --widths 480,10482"),
        ("a length of 10482+09 feet", "a length of 10482+09 feet"),
        ("the year 2025 in the date", "the year 2025 in the date"),
        ("clone git@host.org:team/app", "clone git@host.org:team/app"),
        ("use deadbeef as the colour", "use deadbeef as the colour"),
    ],
)
def test_values_of_one_run_become_placeholders(said: str, general: str) -> None:
    task = "Refund order 10482 for ticket BOX-412 in 2025"

    assert without_values(item(said), task).do == general


def test_the_same_words_in_another_form_are_the_same_item() -> None:
    known = lesson(DO, situation="When opening a document.")

    assert is_same(item(DO.upper().replace(" ", "  ")), known)
    assert not is_same(item("Put the finance profile first."), known)
    assert not is_same(item("Rebase main onto feature."), lesson("Rebase feature onto main."))


@pytest.mark.parametrize(
    ("do", "other"),
    [
        ("Never run `ops --profile finance` here.", "Run `ops --profile finance` here."),
        ("Send at most 4 lines with `ops add`.", "Send at most 8 lines with `ops add`."),
        ("Run `ops pull` after `ops reply`.", "Run `ops reply` after `ops pull`."),
    ],
)
def test_the_opposite_about_the_same_call_contradicts(do: str, other: str) -> None:
    assert contradicts(item(do), (), lesson(other))


@pytest.mark.parametrize(
    ("do", "other"),
    [
        ("Never run `ops --profile finance` here.", "Run `make --profile finance` here."),
        ("Run `ops pull` first.", "Run `ops pull`, and answer every ticket in whole sentences."),
    ],
)
def test_another_call_and_more_about_a_call_do_not(do: str, other: str) -> None:
    assert not contradicts(item(do), (), lesson(other))


def test_the_opposite_about_the_same_failure_contradicts() -> None:
    known = lesson("Wait before the second call.", kinds=("k1",))

    assert contradicts(item("Do not wait before the second call."), ("k1",), known)
    assert not contradicts(item("Do not wait before the second call."), ("k2",), known)


def test_names_are_looked_for_in_time() -> None:
    assert missing("`" + "-" * 500 + "`", "x" * 100_000) == []


def test_a_bracket_is_kept_or_left_out_as_a_whole() -> None:
    given = item("Run `make check` (6 kB; see the `tools/extra.py` script), then wait. Look at it.")

    assert kept(given) == given._replace(do="Look at it.")
