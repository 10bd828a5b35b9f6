"""What a model is shown of a run: within the budget, what teaches most first."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from hardwon import Step
from hardwon.learn.reader.reading import item_line, request, short_call, shorten
from tests.samples import lesson

TASK = "Refund the order"


def asked(steps: Sequence[Step], *, tokens: int = 12_000, **more: object) -> str:
    values = {"playbook": (), "prompts": [(0, TASK)], **more}
    return request(system="S", steps=steps, schema={}, tokens=tokens, **values).prompt  # type: ignore[arg-type]


def test_a_short_run_is_shown_whole() -> None:
    steps = [
        Step("bash", "ops call x", "E403 denied", failed=True),
        Step("bash", "ops --profile finance call x", "D1"),
        Step("search", '{"text": "y"}', "none"),
    ]

    assert asked(steps) == (
        "=== PLAYBOOK ===\n(empty)\n\n=== RUN ===\nTASK: Refund the order\n\n"
        "[1] $ ops call x\n(failed)\nE403 denied\n\n"
        "[2] $ ops --profile finance call x\n(worked)\nD1\n\n"
        '[3] search {"text": "y"}\n(worked)\nnone'
    )


def test_what_the_person_said_stands_where_it_was_said() -> None:
    steps = [Step("bash", "npm i", "ok"), Step("bash", "pnpm i", "ok")]

    prompt = asked(steps, prompts=[(0, TASK), (1, "no, use pnpm"), (2, "thanks")])

    assert prompt.index("npm i") < prompt.index("THE PERSON SAID: no, use pnpm")
    assert prompt.index("no, use pnpm") < prompt.index("pnpm i\n(worked)")
    assert prompt.endswith("THE PERSON SAID: thanks")


def test_a_failing_step_keeps_more_than_an_ordinary_one() -> None:
    output = "\n".join(f"line {number} of a long output" for number in range(400))
    steps = [Step("bash", f"call {n}", output, failed=n == 3) for n in range(8)]

    shown = asked(steps, tokens=6000).split("\n\n[")[1:]

    sizes = [len(part) for part in shown]
    assert max(sizes) == sizes[3] > 2 * max(size for at, size in enumerate(sizes) if at != 3)


def test_a_first_call_keeps_more_than_one_that_was_seen_before() -> None:
    output = "\n".join(f"line {number} of a long output" for number in range(400))
    steps = [Step("bash", f"call {n}", output) for n in range(4)]

    sizes = [len(part) for part in asked(steps, tokens=3000, firsts=[2]).split("\n\n[")[1:]]

    assert max(sizes) == sizes[2] > 1.5 * sizes[0]


def test_of_a_long_output_head_tail_and_telling_lines_stay() -> None:
    lines = [f"row {number}" for number in range(500)]
    lines[250] = "E1100 payload rejected: 1 required property missing"

    text = shorten("\n".join(lines), 700)

    assert text.startswith("row 0\n")
    assert text.endswith("row 499")
    assert lines[250] in text
    assert "[…]" in text
    assert len(text) <= 700


def test_a_long_call_is_cut_in_its_middle() -> None:
    call = "python - <<'E'\n" + "x = 1\n" * 900 + "E\nops call documents.post"

    short = short_call(call, 300)

    assert short.startswith("python - <<'E'")
    assert short.endswith("ops call documents.post")
    assert len(short) <= 302


@given(
    st.lists(
        st.tuples(st.integers(0, 9000), st.integers(0, 9000), st.booleans()),
        min_size=1,
        max_size=150,
    )
)
def test_a_request_stays_within_its_tokens(sizes: list[tuple[int, int, bool]]) -> None:
    steps = [
        Step("bash", "c" * call, "\n".join(["output"] * (out // 7)), failed=failed)
        for call, out, failed in sizes
    ]

    assert len(asked(steps)) + len("S") <= 4 * 12_000


def test_an_item_is_listed_with_its_number_sort_and_doubt() -> None:
    item = lesson("use `x --y`", situation="When x is called.", mistake="x alone fails.")

    assert item_line(3, item, "pitfall", "doubtful: step 2 followed it and failed") == (
        "#3 (pitfall, doubtful: step 2 followed it and failed) When x is called: x alone fails."
        " use `x --y`"
    )


def test_a_note_of_a_person_is_listed_as_it_was_written() -> None:
    note = lesson("Use pnpm here.", situation="Use pnpm here.")

    assert item_line(1, note, "note") == "#1 (note) Use pnpm here."
