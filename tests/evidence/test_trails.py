"""Trails: how a run got past a failure."""

import json

import pytest

from hardwon.core.values.lesson import NEXT, Fix
from hardwon.core.values.run import Step
from hardwon.knowledge.evidence.calls import calls_of
from hardwon.knowledge.evidence.inner import complaints_in
from hardwon.knowledge.evidence.trails import find_passed, find_replaced, is_cut
from hardwon.knowledge.evidence.wording import Seen, trail_fix
from hardwon.knowledge.reading.call_keys import of_operation
from hardwon.knowledge.reading.fixes import fixes_of_call
from hardwon.knowledge.reading.reading import read_failure


def _run(*calls: tuple[str, str, bool]) -> list[Step]:
    """The steps of a run, read as the recorder reads them."""
    steps: list[Step] = []
    for command, output, failed in calls:
        step = Step("Bash", command, output, failed)
        if failed:
            step = step._replace(failure=read_failure(step, steps))
        elif lines := complaints_in(step):
            step = step._replace(failure=read_failure(step._replace(output=lines[-1]), steps))
        steps.append(step)
    return steps


def _texts(*calls: tuple[str, str, bool]) -> list[str]:
    """The trails that each step of a run shows."""
    steps = _run(*calls)
    found = [trail for end in range(2, len(steps) + 1) for trail in find_passed(steps[:end])]
    return [trail_fix(trail, Seen("")).text for trail in found]


CASES = {
    "another form of the call": (
        [
            ("yard stage bk", "yard: cannot resolve unit 'bk'", True),
            ("yard stage bk@12", "staged", False),
        ],
        ["What worked: `yard stage bk@12`."],
    ),
    "another program gets the same": (
        [
            ("pytest pkg/core/test_basic.py", "bash: pytest: command not found", True),
            ("bin/test pkg/core/test_basic.py", "ok", False),
        ],
        ["What worked: `bin/test pkg/core/test_basic.py`."],
    ),
    "an error inside a line that went on": (
        [
            ("yard post D1; yard show D1", "state: draft\nyard: E1301 unknown key", False),
            ("yard post D1 --key K7; yard show D1", "state: posted", False),
        ],
        ["What worked: `yard post D1 --key K7`."],
    ),
    "an answer without words explains nothing": (
        [
            ("yard add --lines 9", "E1413 too large", True),
            ("yard explain E1413\nyard list", "{\n", False),
            ("yard add --lines 4", "added", False),
        ],
        ["What worked: `yard add --lines 4`."],
    ),
    "what explains the code comes first": (
        [
            ("yard add --lines 6", "yard: E1413 too large", True),
            ("yard explain E1413", "Line limit per call: 4.", False),
            ("yard add --lines 4", "added", False),
        ],
        ["`yard explain E1413` says “Line limit per call: 4.” What worked: `yard add --lines 4`."],
    ),
    "what a call said about its own failure comes first": (
        [
            ("yard add --lines 6 || yard why", "yard: E1413\nFour lines each call.\nok", True),
            ("yard add --lines 4", "added", False),
        ],
        ["`yard why` says “Four lines each call.” What worked: `yard add --lines 4`."],
    ),
    "what stands in a file explains nothing": (
        [
            ("yard send 7 || cat box/7", "yard: E12 no form\nMrs Ada Day asked us to call.", True),
            ("yard send 7 --plain", "sent", False),
        ],
        ["What worked: `yard send 7 --plain`."],
    ),
    "what is shown of a record explains nothing": (
        [
            ("yard send 7 || yard show 7", "yard: E12 no form\nMrs Day asked us to call.", True),
            ("yard send 7 --plain", "sent", False),
        ],
        ["What worked: `yard send 7 --plain`."],
    ),
    "what another call of the line printed explains nothing": (
        [
            (
                "yard send 7 || yard why; cat box/7",
                "yard: E12 no form\nMrs Day asked for a call.",
                True,
            ),
            ("yard send 7 --plain", "sent", False),
        ],
        ["What worked: `yard send 7 --plain`."],
    ),
    "a fallback that does nothing explains nothing": (
        [
            ("yard send 7 || true", "yard: E12 no form\nMrs Ada Day asked us to call.", False),
            ("yard send 7 --plain", "sent", False),
        ],
        ["What worked: `yard send 7 --plain`."],
    ),
    "the source of a value comes first": (
        [
            ("yard get 3117", "yard: E1002 ticket: not a reference", True),
            ("yard lookup 3117", "ref: tic_31_a34", False),
            ("yard get tic_31_a34", "found", False),
        ],
        ["What worked: first `yard lookup 3117`, then `yard get tic_31_a34`."],
    ),
    "the same call after a preparation": (
        [
            ("npm run site:build", "Error: catalog is missing", True),
            ("npm run site:pack", "packed", False),
            ("npm run site:build", "built", False),
        ],
        ["What worked: first `npm run site:pack`, then `npm run site:build`."],
    ),
    "the next try fails of something else": (
        [
            ("/usr/bin/python3 -m pytest tests/test_a.py", "No module named pytest", True),
            ("pytest tests/test_a.py", "E   NameError: name 'x' is not defined", True),
        ],
        ["Got further: `pytest tests/test_a.py`."],
    ),
    "calls that only look are left out": (
        [
            ("yard plan a1", "yard: plan: digest mismatch", True),
            ("cat docs/pins.md; git log -3; yard help pin", "how to pin\nand more", False),
            ("yard pin a1", "pinned", False),
            ("yard state show; yard plan a1", "planned", False),
        ],
        ["What worked: first `yard pin a1`, then `yard plan a1`."],
    ),
    "several codes explained by one line": (
        [
            ("yard draft a", "yard: E403 draft: denied", True),
            ("yard explain E100; yard explain E403", "Other words here.\nAsk for a desk.", False),
            ("yard --desk 4 draft a", "ok", False),
        ],
        ["`yard explain E403` says “Ask for a desk.” What worked: `yard --desk 4 draft a`."],
    ),
    "codes explained in a loop": (
        [
            ("yard draft a", "yard: E403 draft: denied", True),
            (
                "for c in E100 E403; do yard explain $c; done",
                "Other words here.\nAsk for a desk.",
                False,
            ),
            ("yard --desk 4 draft a", "ok", False),
        ],
        ["`yard explain E403` says “Ask for a desk.” What worked: `yard --desk 4 draft a`."],
    ),
    "a file that was looked up": (
        [
            ("pytest tests/test_a.py", "ERROR: file not found: tests/test_a.py", True),
            ("find . -name test_a.py", "pkg/tests/test_a.py", False),
            ("pytest pkg/tests/test_a.py", "1 passed", False),
        ],
        ["What worked: first `find . -name test_a.py`, then `pytest pkg/tests/test_a.py`."],
    ),
    "another script of the run is no cure": (
        [
            ("cat > a.py <<'X'\nimport x\nX\npython a.py", "ValueError: bad shape x", True),
            ("cat > a2.py <<'X'\nimport y\nX\npython a2.py", "ok", False),
        ],
        [],
    ),
    "another way to run a script of the run": (
        [
            ("cat > a.py <<'X'\nimport x\nX\npython a.py", "No module named x", True),
            ("PYTHONPATH=src python a.py", "ok", False),
        ],
        ["What worked: `PYTHONPATH=src python a.py`."],
    ),
    "the sub-command as a value of another": (
        [
            ("yard call doc.post '{}'", "yard: E1 property missing", True),
            ('yard call key.next \'{"for": "doc.post"}\'', "K7", False),
        ],
        [],
    ),
    "a line that sets things up first": (
        [
            ('yard -U desk -c "list"', "yard: connection failed: no such socket", True),
            ('. ./env.sh && yard -c "stock of today"', "12 rows", False),
        ],
        ['What worked: first `. ./env.sh`, then `yard -c "stock of today"`.'],
    ),
    "a complaint about what was given is not got past by another call": (
        [
            ("yard show pump-7", "yard: no such part: pump-7", True),
            (". ./env.sh && yard tally stock of today", "12 rows", False),
        ],
        [],
    ),
    "what made the file that the working call is given": (
        [
            ("mill sharpen scan.pgm out/scan.pgm", "mill: unsupported type P2", True),
            ("tools/to_p5.py scan.pgm tmp/five.pgm", "", False),
            ("mill sharpen tmp/five.pgm out/scan.pgm", "done", False),
        ],
        [
            "What worked: first `tools/to_p5.py scan.pgm tmp/five.pgm`, "
            "then `mill sharpen tmp/five.pgm out/scan.pgm`."
        ],
    ),
    "what is called before another part of the program tells nothing": (
        [
            ("yard seal 5", "yard: no session open", True),
            ("git status && yard lot list", "12 rows", False),
        ],
        [],
    ),
    "a program that has worked since needed nothing": (
        [
            ("yard seal 5", "yard: no session open", True),
            ("yard lot list", "12 rows", False),
            (". ./env.sh && yard lot list", "12 rows", False),
        ],
        [],
    ),
    "a line without a call": (
        [("yard seal 5", "yard: no session open", True), ("# wait", "", False)],
        [],
    ),
    "a copy is told once, a call that failed never": (
        [
            ("yard load a/x", "yard: not here: a/x", True),
            ("planner b/y", "planner: no", True),
            ("cp a/x b/y", "", False),
            ("yard load b/y", "ok", False),
        ],
        ["What worked: first `cp a/x b/y`, then `yard load b/y`."],
    ),
    "an error that begins with the part that was called": (
        [
            ("yard room walk R4; git status --short", "NOT DONE room.walk R4 -- shut", False),
            ("yard room open R4 --o2 18p && yard room walk R4", "R4 open\nB-1 003K", False),
        ],
        ["What worked: first `yard room open R4 --o2 18p`, then `yard room walk R4`."],
    ),
    "nothing but the same call again": (
        [("yard sync", "yard: locked", True), ("yard sync", "done", False)],
        [],
    ),
    "a look at what failed": (
        [
            ("python shop/cart/fold.py", "NameError: name 'x' is not defined", True),
            ("cat shop/cart/fold.py", "print(x)", False),
        ],
        [],
    ),
    "a question about the version": (
        [("cook ..", "cook: STOVE is not set", True), ("cook --version", "cook 3.2", False)],
        [],
    ),
    "another goal": (
        [("yard sync", "yard: locked", True), ("npm run lint:css", "ok", False)],
        [],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_trail_shows_what_was_called_until_it_worked(name: str) -> None:
    calls, texts = CASES[name]

    assert _texts(*calls) == texts


def test_each_obstacle_on_the_way_gets_its_own_trail() -> None:
    steps = _run(
        ("yard draft a", "yard: E403 draft: denied for profile desk", True),
        ("yard --profile finance draft a", "yard: E1100 property missing", True),
        ("yard --profile finance draft a --centre 41", "draft D1", False),
    )

    trails = {trail.at: trail.working.text for trail in find_passed(steps)}

    assert trails == dict.fromkeys((0, 1), "yard --profile finance draft a --centre 41")


def test_another_tool_with_the_same_arguments_is_another_call() -> None:
    failing = Step("grid.move", '{"day": "mon", "house": "H4"}', "E0001 ACTION ? move", failed=True)
    failing = failing._replace(failure=read_failure(failing, ()))

    (trail,) = find_passed(
        [failing, failing._replace(tool="grid.shift", failed=False, failure=None)]
    )

    assert trail_fix(trail, Seen("")).text == "What worked: `grid.shift(day=mon, house)`."


def test_of_a_tool_only_names_and_plain_words_are_shown() -> None:
    failing = Step("book", '{"card": "c_4421", "seats": 2}', "Error: card not found", failed=True)
    failing = failing._replace(failure=read_failure(failing, ()))
    asked = Step("get_user", '{"user": "u_77"}', '{"cards": ["c_9981"]}')
    working = Step("book", '{"card": "c_9981", "kind": "flex", "seats": 2}', "booked")

    (trail,) = find_passed([failing, asked, working])

    assert trail_fix(trail, Seen("")).text == (
        "What worked: first `get_user(user)`, then `book(card, kind, seats)`"
        " (with `kind` as `flex`, another `card`)."
    )


def _tool_text(failing: str, working: str, *between: tuple[str, str]) -> str:
    """The trail of a tool whose failing call is followed by a working one."""
    failed = Step("book", failing, "Error: not valid", True)
    failed = failed._replace(failure=read_failure(failed, ()))
    others = (Step(tool, args, "ok") for tool, args in between)
    (found,) = find_passed([failed, *others, Step("book", working, "ok")])
    return trail_fix(found, Seen("")).text


def test_the_changed_value_of_a_tool_is_named_by_its_place_and_form() -> None:
    text = _tool_text(
        '{"who": {"name": "Ada", "day": "2026-02-03"}}',
        '{"who": {"name": "Eve", "day": "26W06.2", "floor": 3}}',
    )

    assert text == (
        "What worked: `book(who.name, who.day, who.floor)` "
        "(with `who.floor` as `3`, another `who.name`, another `who.day` as `00W00.0`)."
    )


@pytest.mark.parametrize(
    ("error", "failing", "working", "told"),
    [
        (
            "total price is 608, but paid 304",
            '{"amount": 304}',
            '{"amount": 608}',
            "another `amount`, the “total price is …” that the error names",
        ),
        (
            "total is 305, paid 255",
            '{"pay": [{"id": "x", "sum": 100}, {"id": "y", "sum": 155}]}',
            '{"pay": [{"id": "x", "sum": 100}, {"id": "y", "sum": 205}]}',
            "other `pay[].sum`, which add up to the “total is …” that the error names",
        ),
        (
            "is 6 but the run is at 7",
            '{"revision": 6, "code": "OT"}',
            '{"revision": 7, "code": "OT"}',
            "another `revision`, the “the run is at …” that the error names",
        ),
        (
            "it is outdated",
            '{"revision": 20, "x": "y"}',
            '{"revision": 23, "x": "y"}',
            "a larger `revision`",
        ),
        (
            "the range is too wide",
            '{"from": "2031-05-12T09:00", "x": "y"}',
            '{"from": "2031-05-13T21:30", "x": "y"}',
            "a later `from`",
        ),
        (
            "voucher cannot be used for a change",
            '{"pay": "voucher_4711", "day": "x"}',
            '{"pay": "gift_card_12", "day": "x"}',
            "another `pay` as `gift_card_<n>`",
        ),
        (
            "no such card",
            '{"pay": "smith42", "day": "x"}',
            '{"pay": "gift_card_12", "day": "x"}',
            "another `pay`",
        ),
        (
            "switch it on",
            '{"dry_run": false, "x": "y"}',
            '{"dry_run": true, "x": "y"}',
            "another `dry_run` as `true`",
        ),
        (
            "no such user",
            '{"who": "ada_lovelace_4711", "day": "x"}',
            '{"who": "eve_lovelace_12", "day": "x"}',
            "another `who`",
        ),
    ],
)
def test_a_new_value_is_told_by_the_words_of_the_error_or_by_its_sort(
    error: str, failing: str, working: str, told: str
) -> None:
    failed = Step("book", failing, f"Error: {error}", True)
    failed = failed._replace(failure=read_failure(failed, ()))
    asked = Step("get_user", "{}", '{"eve_lovelace_12": {"gift_card_12": {"sort": "gift_card"}}}')
    (found,) = find_passed([failed, asked, Step("book", working, "ok")])
    line = failed.failure.line if failed.failure else ""

    text = trail_fix(found, Seen("", line=line, printed=asked.output)).text

    assert text.endswith(f" ({told}).")


def test_the_code_of_the_task_that_a_text_lacked_is_named_without_its_number() -> None:
    failed = Step("open", '{"why": "per ticket"}', "Error: why is not accepted", True)
    failed = failed._replace(failure=read_failure(failed, ()))
    (found,) = find_passed([failed, Step("open", '{"why": "HR-4711, per ticket"}', "ok")])

    text = trail_fix(found, Seen("[HR-4711] Pay Ada.")).text

    assert text.endswith(" (another `why`, with the `HR-<n>` of the task).")


def test_a_word_with_a_number_that_may_name_somebody_is_not_told() -> None:
    failed = Step("open", '{"why": "per ticket"}', "Error: why is not accepted", True)
    failed = failed._replace(failure=read_failure(failed, ()))
    (found,) = find_passed([failed, Step("open", '{"why": "miller-77, per ticket"}', "ok")])

    assert "iller" not in trail_fix(found, Seen("Call miller-77 back.")).text


def test_tools_with_names_in_other_scripts_are_compared_by_their_values() -> None:
    failed = Step("查询", '{"no": "SH-1"}', "Error: no is not valid", True)
    failed = failed._replace(failure=read_failure(failed, ()))

    assert find_passed([failed, Step("下单", '{"day": 2}', "ok")]) == []


def test_a_tool_that_had_to_be_called_first_is_named() -> None:
    room = '{"room": "R12", "note": "x"}'

    text = _tool_text('{"room": "R12"}', room, ("hold", '{"room": "R12"}'), ("see", "{}"))

    assert text.startswith("What worked: first `hold(room)`, then `book(")


def test_an_answer_that_hands_out_a_value_is_not_quoted() -> None:
    failed = Step("book", '{"no": "SH-1"}', "Error: box MSKU7 is not released", True)
    failed = failed._replace(failure=read_failure(failed, ()))
    release = Step("release", '{"box": "MSKU7"}', "Box MSKU7 was released now, PIN 59701.")
    (found,) = find_passed([failed, release, failed._replace(failed=False, failure=None)])

    assert trail_fix(found, Seen("")).text == "What worked: first `release(box)`, then `book(no)`."


@pytest.mark.parametrize(
    ("error", "failing", "working", "is_found"),
    [
        ("size must be 'small' or 'large'", '"huge"', '"large"', True),
        ("size is too large-scale", '"huge"', '"large"', False),
        ("unknown size", '"huge"', '"large"', False),
        ("size must be a list", '"a"', '["a"]', True),
        ("size must be a list", '"a"', '["b"]', False),
    ],
)
def test_another_value_is_a_cure_if_the_error_names_it_or_it_is_the_same_in_another_form(
    error: str, failing: str, working: str, is_found: bool
) -> None:
    failed = Step("book", f'{{"size": {failing}}}', f"Error: {error}", True)
    failed = failed._replace(failure=read_failure(failed, ()))

    found = find_passed([failed, Step("book", f'{{"size": {working}}}', "ok")])

    assert bool(found) is is_found


def test_of_calls_that_differ_in_values_only_those_about_the_same_thing_are_shown() -> None:
    room = '{"room": "north", "note": "x"}'

    text = _tool_text(room, room, ("hold", '{"room": "south"}'), ("hold", '{"room": "north"}'))

    assert text.startswith("What worked: first `hold(room=north)`, then `book(")


def test_another_edit_of_a_file_belongs_to_the_task() -> None:
    failed = Step(
        "Edit", '{"file_path": "a.rs", "old_string": "x", "new_string": "y"}', "no match", True
    )
    failed = failed._replace(failure=read_failure(failed, ()))
    other = Step(
        "Edit", '{"file_path": "a.rs", "old_string": "now - 1", "new_string": "now"}', "ok"
    )

    assert find_passed([failed, other]) == []


def test_an_edit_by_line_numbers_is_not_told() -> None:
    broken = ("python -m yard.run", "yard: layout is old", True)
    edits = [(f"sed -i '{which}' yard/run.py", "", False) for which in ("40,42d", "s/layout/plan/")]

    assert _texts(broken, *edits, ("python -m yard.run", "ok", False)) == [
        "What worked: first `sed -i 's/layout/plan/' yard/run.py`, then `python -m yard.run`."
    ]


@pytest.mark.parametrize(("lines", "is_told"), [(2, True), (60, False)])
def test_a_script_that_is_too_long_to_be_shown_is_no_cure(lines: int, is_told: bool) -> None:
    script = "\n".join(["import yard", *["yard.mend(1)"] * lines])
    cure = f"python - <<'E'\n{script}\nE"
    first, *_ = _run((cure, "", False))

    assert is_cut(calls_of(first)[0]) is not is_told


def test_what_makes_a_script_of_the_run_work_waits_for_a_second_run() -> None:
    steps = _run(
        ("cat > try.py <<'E'\nimport yard\nE", "", False),
        ("python try.py", "yard: layout is old", True),
        ("sed -i 's/layout/plan/' yard/core.py", "", False),
        ("python try.py", "fine", False),
    )

    (found,) = find_passed(steps)

    assert trail_fix(found, Seen("")).sort == NEXT


def test_other_tests_that_pass_tell_nothing_about_those_that_fail() -> None:
    red = "FAILED tests/test_a.py::test_one - yard: no\n1 failed, 3 passed in 0.1s"

    assert (
        _texts(
            ("pytest tests/test_a.py", red, True),
            ("pytest tests/test_b.py", "4 passed in 0.1s", False),
        )
        == []
    )


def test_how_another_file_was_edited_is_not_told() -> None:
    edit = '{"file_path": "/w/a.json", "old_string": "x", "new_string": "y"}'
    failing = _run((edit, "String to replace not found in file.", True))[0]._replace(tool="Edit")
    fixes = [
        Fix("trail", f"What worked: edit of `/w/{name}`", name, "", "Edit(file_path)")
        for name in ("a.json", "b.json")
    ]

    assert [fix.key for fix in fixes_of_call(fixes, failing)] == ["a.json"]


@pytest.mark.parametrize(
    ("failing", "working"),
    [
        ("DB=sqlite pytest", "DB=postgres pytest"),
        ("python manage.py test --settings=shop.dev", "python manage.py test --settings=shop.test"),
        ("cargo test --features sqlite", "cargo test --features postgres"),
    ],
)
def test_another_option_or_variable_gets_past_red_tests(failing: str, working: str) -> None:
    red, green = "E  no such backend\n1 failed, 3 passed in 0.1s", "4 passed in 0.1s"

    assert _texts((failing, red, True), (working, green, False)) == [f"What worked: `{working}`."]


def test_a_long_message_is_no_script_and_an_append_no_change_by_line_numbers() -> None:
    message = "fix orders\n\n" + "\n".join(f"- sentence number {n} of the body" for n in range(12))
    commit = calls_of(Step("Bash", f'git commit -m "{message}"'))[-1]
    append, cut = calls_of(Step("Bash", "echo x | tee -a app.conf; sed -i '3d' app.conf"))[-2:]

    assert not is_cut(commit)
    assert (append.is_blind, cut.is_blind) == (False, True)


def test_requests_of_one_tool_are_no_tools_named_alike() -> None:
    def request(method: str, path: str, output: str, *, failed: bool = False) -> Step:
        args = json.dumps({"method": method, "path": path, "body": {"at": method}})
        step = of_operation(Step("request", args, output, failed))
        return step._replace(failure=read_failure(step, ())) if failed else step

    steps = [
        request("GET", "/v3/orders/4711", "{}"),
        request("PATCH", "/v3/points/4711", "Error: scope is not granted", failed=True),
        request("POST", "/v3/points/4711/readings", "{}"),
    ]

    assert find_passed(steps) == []


def test_a_question_that_was_given_up_is_replaced_by_a_question_only() -> None:
    asked = ("desk codes.show moved", "desk: E13 code: no such code", True)

    def instead(call: str) -> list[str]:
        return [found.working.text for found in find_replaced(_run(asked, (call, "done", False)))]

    assert instead("desk visits.move V-601") == []
    assert instead("desk codes.list moved") == ["desk codes.list moved"]
