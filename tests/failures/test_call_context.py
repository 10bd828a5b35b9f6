"""A call within its run: what it shares with earlier calls, from the general to the particular."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardwon.failures import call_context
from hardwon.failures.call_context import backoff_chains, blamed
from hardwon.values.step import Step

LISTED = Step("bash", "ls", "a.py tests")


def ran(command: str, output: str = "", *, failed: bool = False) -> Step:
    return Step("bash", command, output, failed)


def test_a_ladder_leads_from_the_program_to_this_very_call() -> None:
    assert backoff_chains("bash", "pytest -q tests/a.py", [LISTED]) == (
        (
            ": pytest",
            ": pytest -",
            "~ pytest -q .py",
            "~ pytest -q .py -",
            "@ pytest tests/a.py",
            "= pytest -q tests/a.py",
        ),
    )


def test_a_call_that_has_worked_in_this_run_stands_on_other_rungs() -> None:
    before = [ran("pytest -q b.py"), LISTED]

    keys = call_context.keys(backoff_chains("bash", "pytest a.py", before))

    assert ": pytest +" in keys
    assert "~ pytest .py -" in keys


def test_a_call_that_only_failed_has_not_worked() -> None:
    keys = call_context.keys(
        backoff_chains("bash", "pytest a.py", [ran("pytest a.py", failed=True)])
    )

    assert ": pytest -" in keys


def test_a_file_that_the_run_has_never_seen_is_told_apart() -> None:
    assert (": python", "? python") in backoff_chains("bash", "python fix.py", [LISTED])
    assert (": python", "? python") not in backoff_chains("bash", "python a.py", [LISTED])
    assert (": python", "? python") not in backoff_chains("bash", "python *.py", [LISTED])


def test_what_a_script_of_this_run_imports_is_known_before_it_runs() -> None:
    wrote = ran("cat > demo.py <<'EOF'\nimport numpy as np\nfrom os import path\nEOF")

    keys = call_context.keys(backoff_chains("bash", "python demo.py", [wrote]))

    assert {"& python numpy", "& python os"} <= set(keys)


def test_inline_code_and_written_files_of_other_tools_are_read_too() -> None:
    inline = call_context.keys(backoff_chains("bash", 'python -c "import numpy; print(1)"', ()))
    wrote = Step("Write", '{"content": "import scipy\\n", "file_path": "demo.py"}')

    assert "& python numpy" in inline
    assert "& python scipy" in call_context.keys(backoff_chains("bash", "python demo.py", [wrote]))


def test_a_call_without_a_program_has_the_ladder_of_its_tool() -> None:
    assert backoff_chains("Bash", "<in.txt", ()) == ((": bash",),)
    assert blamed("Bash", "<in.txt", "no such file", ()) == ((": bash",),)


def test_only_the_blamed_part_of_a_chain_is_put_down() -> None:
    keys = call_context.keys(
        blamed("bash", "make all && pytest a.py", "pytest: error: x", [LISTED])
    )

    assert ": pytest" in keys
    assert ": make all" not in keys


def test_an_error_that_misses_a_file_is_put_down_to_it_though_the_run_had_seen_it() -> None:
    missing = "python: can't open file '/repo/a.py': [Errno 2] No such file or directory"

    assert "? python" in call_context.keys(blamed("bash", "python a.py", missing, [LISTED]))


def test_a_tool_with_named_arguments_is_blamed_by_its_error_too() -> None:
    args = '{"file_path": "src/a.py"}'

    missed = call_context.keys(blamed("Read", args, "File does not exist.", [LISTED]))
    refused = call_context.keys(blamed("Read", args, "File is too large", ()))

    assert "? read" in missed
    assert ": read" in refused
    assert "? read" not in refused


def test_what_an_error_does_not_speak_of_is_not_blamed() -> None:
    code = 'python -c "import numpy, sympy\nfrom scipy import fft" data.csv'

    keys = call_context.keys(
        blamed("bash", code, "ModuleNotFoundError: No module named 'scipy.fft'", ())
    )

    assert "& python scipy" in keys
    assert "& python numpy" not in keys
    assert "? python" not in keys


@given(st.text(), st.text(), st.lists(st.tuples(st.text(), st.text(), st.booleans()), max_size=4))
def test_any_call_of_any_run_has_a_chain(
    tool: str, args: str, before: list[tuple[str, str, bool]]
) -> None:
    steps = [Step(tool, command, output, failed) for command, output, failed in before]

    assert all(len(chain) > 0 for chain in backoff_chains(tool, args, steps))
    assert call_context.keys(backoff_chains(tool, args, steps)) == call_context.keys(
        backoff_chains(tool, args, steps)
    )
