"""Features: what a pending call runs and touches, from the run so far."""

from __future__ import annotations

import json

from hardwon.failures import shell
from hardwon.failures.features import call_features
from hardwon.values.step import Step

SCRIPT = "import os\n# import numpy\nconnect('shop', timeout=5)\nprint('a long sentence')\n"
WRITTEN = Step("bash", f"cat > /tmp/try.py <<'EOF'\n{SCRIPT}EOF")
ORDER = Step(
    "get_order",
    '{"id": "W1"}',
    '{"order_id": "W1", "status": "delivered", "paid": true, "items": [{"item_id": "I7",'
    ' "status": "lost"}], "cards": {"card_9": {"source": "gift card", "balance": 0}}}',
)


def of(args: object, *before: Step, tool: str = "bash") -> frozenset[str]:
    text = args if isinstance(args, str) else json.dumps(args)
    return call_features(tool, text, before)


def test_a_call_has_the_names_of_the_script_that_the_run_wrote() -> None:
    assert "python code 'shop" in of("python try.py", WRITTEN)
    assert "python code 'shop" not in of("python try.py")


def test_a_script_written_and_run_by_one_call_is_read() -> None:
    assert "python code connect" in of(f"cat > a.py <<'EOF'\n{SCRIPT}EOF\npython a.py")


def test_writing_a_script_does_not_run_it() -> None:
    assert not any(" code " in feature for feature in of(WRITTEN.args))


def test_a_script_written_by_an_editing_tool_is_read_with_its_edits() -> None:
    whole = Step("Write", json.dumps({"file_path": "/x/try.py", "content": "whole()\n" * 9}))
    edit = {"file_path": "/x/try.py", "old_string": "before_it()", "new_string": "after_it()"}

    features = of("python3 /x/try.py", whole, Step("Edit", json.dumps(edit)))

    assert {"python code whole", "python code after_it"} <= features
    assert "python code before_it" not in features


def test_an_overwritten_script_is_forgotten() -> None:
    again = Step("bash", "cat > try.py <<EOF\nfresh()\nEOF")

    assert "python code connect" not in of("python try.py", WRITTEN, again)


def test_code_given_to_an_interpreter_is_read() -> None:
    assert "python code shop" in of('python -c "import shop"')
    assert "notebook code connect" in of(SCRIPT, tool="notebook")


def test_a_module_that_is_run_differs_from_the_program_of_its_name() -> None:
    assert "runs python -m pytest" in of("python3 -m pytest -q")
    assert "runs pytest" in of("pytest -q")


def test_a_program_is_first_until_it_has_worked_in_the_run() -> None:
    failed = Step("bash", "gcc a.c", failed=True)

    assert "first gcc" in of("gcc a.c")
    assert "first gcc" in of("gcc a.c", failed)
    assert "first gcc" not in of("gcc a.c", failed, Step("bash", "cd x && gcc b.c"))


def test_a_file_is_new_until_something_has_named_it() -> None:
    assert "cat takes a new file" in of("cat src/a.py")
    assert "cat takes a known file" in of("cat src/a.py", Step("bash", "ls src", "a.py b.py"))
    assert "cat takes a new file without a folder" not in of("cat src/a.py")
    assert "cat takes a new file without a folder" in of("cat ./a.py")
    removed = Step("bash", "python a.py && rm a.py b.py", "")
    assert "python takes a removed file" in of("python a.py", removed)
    assert "python takes a known file" in of("python a.py", removed._replace(failed=True))
    assert "python takes a known file" in of("python a.py", removed, Step("bash", "ls", "a.py"))
    assert "python takes a known file" in of("cat > a.py <<EOF\nx()\nEOF\npython a.py")


def test_an_argument_tells_its_source_and_the_state_of_its_object() -> None:
    features = of({"order_id": "W1"}, ORDER, tool="cancel")

    assert "cancel order_id comes from get_order.order_id" in features
    assert 'cancel order_id has status "delivered"' in features
    assert "cancel order_id has paid true" in features
    assert 'cancel order_id has status "lost"' not in features


def test_a_value_of_a_yaml_result_has_its_source() -> None:
    listed = Step("find_files", "{}", "- id_: '7'\n  name: plans\n- id_: '11'\n", False)

    assert "read file_id comes from find_files.id_" in of({"file_id": "11"}, listed, tool="read")
    assert not any("comes from" in one for one in of({"file_id": "1"}, listed, tool="read"))


def test_an_object_that_is_listed_by_its_name_tells_its_state() -> None:
    features = of({"card": "card_9"}, ORDER, tool="pay")

    assert {'pay card has source "gift card"', "pay card has balance 0"} <= features


def test_a_value_that_no_result_holds_is_told() -> None:
    assert "cancel order_id stands in no result" in of({"order_id": "W2"}, ORDER, tool="cancel")
    assert "pay amount stands in no result" in of({"amount": 31.5}, ORDER, tool="pay")
    assert "pay amount stands in no result" not in of({"amount": 7}, ORDER, tool="pay")


def test_the_result_of_a_failed_call_is_no_source() -> None:
    refused = ORDER._replace(failed=True)

    assert not any("comes from" in one for one in of({"id": "W1"}, refused, tool="cancel"))


def test_what_was_done_with_the_same_object_is_told() -> None:
    changed = Step("change_items", '{"id": "W100"}')

    assert "send id after change_items" in of({"id": "W100"}, changed, tool="send")
    assert "send id was in no call" in of({"id": "W200"}, changed, tool="send")


def test_lists_tell_how_their_lengths_compare() -> None:
    asked = {"old": ["I1", "I2"], "new": ["I3", "I3"]}

    features = of(asked, tool="swap")

    assert {"swap new and old agree in length", "swap new has an item twice"} <= features
    assert "swap old has an item twice" not in features
    assert "swap new and old differ in length" in of({"old": ["I1"], "new": []}, tool="swap")


def test_a_call_tells_which_arguments_it_passes_and_of_what_sort() -> None:
    asked = {"to": "a@b.c", "cc": [], "n": 2, "at": 1.5, "all": True, "note": "", "by": None}

    sorts = "all: flag at: fraction by: null cc: list n: whole note: empty to: text"
    assert f"send passes {sorts}" in of(asked, tool="send")
    assert "send passes n: whole" in of({"n": 0}, tool="send")
    assert "send passes by: object" in of({"by": {"name": "x"}}, tool="send")


def test_the_same_arguments_are_known_again_whatever_they_hold() -> None:
    def very(args: object) -> set[str]:
        return {one for one in of(args, tool="find") if "just these" in one}

    secret = {"name": "Mia Kim", "zip": "90210"}
    assert len(very(secret)) == 1
    assert very(secret) == very(dict(secret))
    assert very(secret) != very({"name": "Mia Kim", "zip": "90211"})
    assert not any("90210" in one for one in of(secret, tool="find")), "no value stands in it"


def test_a_program_that_only_handles_a_script_does_not_run_it() -> None:
    for call in ("rm try.py", "cat try.py", "git add try.py", "sed -i s/a/b/ try.py"):
        assert not any(" code " in one for one in of(call, WRITTEN)), call
    assert "pytest code connect" in of("pytest try.py", WRITTEN)


def test_clipped_arguments_tell_the_tool_only() -> None:
    assert of('{"id": "W1", "no', ORDER, tool="cancel") == {"runs cancel", "first cancel"}


def test_the_call_that_opens_a_run_is_known() -> None:
    assert "look opens the run" in of("{}", tool="look")
    assert "look opens the run" not in of("{}", ORDER, tool="look")


def test_a_query_in_an_argument_has_its_names() -> None:
    query = {"sql": "SELECT total FROM orders o WHERE o.state = 'open'", "note": "who buys what"}

    code = {feature for feature in of(query, tool="ask") if " code " in feature}

    assert {"ask sql code total", "ask sql code orders", "ask sql code 'open"} <= code
    assert not any(feature.startswith("ask note code") for feature in code)


def test_prose_with_brackets_is_no_query() -> None:
    letter = {"body": "Dear Ann, the parcel (three boxes) is on its way; see you soon."}

    assert not any(" code " in feature for feature in of(letter, tool="send"))


def test_a_program_counts_as_it_was_typed() -> None:
    assert "typed as python" in of("python a.py") - of("python3 a.py")
    assert "typed as /usr/bin/python3 -m pytest" in of("/usr/bin/python3 -m pytest")
    assert not any(feature.startswith("typed as") for feature in of("touch a.c"))


def test_only_the_blamed_command_of_a_failing_line_has_features() -> None:
    line = "touch a.c && make"
    _, make = shell.parse(line)

    assert call_features("bash", line, (), blamed=make) == of("make")


def test_a_program_has_its_variables_or_none() -> None:
    assert {"make with PROFILE", "make with A"} <= of("PROFILE=dev A=1 make -j2")
    assert "make with PROFILE" in of("export PROFILE=dev && make")
    assert "make without variables" in of("make -j2")
    assert "make without variables" not in of("PROFILE=dev make")
    assert "make without variables" not in of(". ./env.sh && make")
    assert "make without variables" not in of("cd a; source env.sh; make")
    assert "grep without variables" not in of("grep x a.txt")


def test_a_commit_is_known_by_the_mark_of_its_message() -> None:
    assert "git commit message with <word>:" in of('git add -A && git commit -m "core: a line"')
    assert "git commit message with no mark" in of('git commit -m "add a line"')
    assert not any("message" in feature for feature in of("git commit --amend --no-edit"))
    assert not any("message" in feature for feature in of('git tag -m "core: a line" v1'))
