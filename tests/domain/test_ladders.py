"""A call within its run: what it shares with earlier calls, from the general to the particular."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hardwon.domain.episode import Step
from hardwon.domain.ladders import blamed, ladders, rungs

LISTED = Step("bash", "ls", "a.py tests")


def ran(command: str, output: str = "", *, failed: bool = False) -> Step:
    return Step("bash", command, output, failed)


def test_a_ladder_leads_from_the_program_to_this_very_call() -> None:
    assert ladders("bash", "pytest -q tests/a.py", [LISTED]) == (
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

    keys = rungs(ladders("bash", "pytest a.py", before))

    assert ": pytest +" in keys
    assert "~ pytest .py -" in keys


def test_a_call_that_only_failed_has_not_worked() -> None:
    keys = rungs(ladders("bash", "pytest a.py", [ran("pytest a.py", failed=True)]))

    assert ": pytest -" in keys


def test_a_file_that_the_run_has_never_seen_is_told_apart() -> None:
    assert (": python", "? python") in ladders("bash", "python fix.py", [LISTED])
    assert (": python", "? python") not in ladders("bash", "python a.py", [LISTED])
    assert (": python", "? python") not in ladders("bash", "python *.py", [LISTED])


def test_what_a_script_of_this_run_imports_is_known_before_it_runs() -> None:
    wrote = ran("cat > demo.py <<'EOF'\nimport numpy as np\nfrom os import path\nEOF")

    keys = rungs(ladders("bash", "python demo.py", [wrote]))

    assert {"& python numpy", "& python os"} <= set(keys)


def test_inline_code_and_written_files_of_other_tools_are_read_too() -> None:
    inline = rungs(ladders("bash", 'python -c "import numpy; print(1)"', ()))
    wrote = Step("Write", '{"content": "import scipy\\n", "file_path": "demo.py"}')

    assert "& python numpy" in inline
    assert "& python scipy" in rungs(ladders("bash", "python demo.py", [wrote]))


def test_a_call_without_a_program_has_the_ladder_of_its_tool() -> None:
    assert ladders("Bash", "<in.txt", ()) == ((": bash",),)
    assert blamed("Bash", "<in.txt", "no such file", ()) == ((": bash",),)


def test_only_the_blamed_part_of_a_chain_is_put_down() -> None:
    keys = rungs(blamed("bash", "make all && pytest a.py", "pytest: error: x", [LISTED]))

    assert ": pytest" in keys
    assert ": make all" not in keys


def test_an_error_that_misses_a_file_is_put_down_to_it_though_the_run_had_seen_it() -> None:
    missing = "python: can't open file '/repo/a.py': [Errno 2] No such file or directory"

    assert "? python" in rungs(blamed("bash", "python a.py", missing, [LISTED]))


def test_a_tool_with_named_arguments_is_blamed_by_its_error_too() -> None:
    args = '{"file_path": "src/a.py"}'

    missed = rungs(blamed("Read", args, "File does not exist.", [LISTED]))
    refused = rungs(blamed("Read", args, "File is too large", ()))

    assert "? read" in missed
    assert ": read" in refused
    assert "? read" not in refused


def test_what_an_error_does_not_speak_of_is_not_blamed() -> None:
    code = 'python -c "import numpy, sympy\nfrom scipy import fft" data.csv'

    keys = rungs(blamed("bash", code, "ModuleNotFoundError: No module named 'scipy.fft'", ()))

    assert "& python scipy" in keys
    assert "& python numpy" not in keys
    assert "? python" not in keys


@given(st.text(), st.text(), st.lists(st.tuples(st.text(), st.text(), st.booleans()), max_size=4))
def test_any_call_of_any_run_has_a_ladder(
    tool: str, args: str, before: list[tuple[str, str, bool]]
) -> None:
    steps = [Step(tool, command, output, failed) for command, output, failed in before]

    assert all(len(ladder) > 0 for ladder in ladders(tool, args, steps))
    assert rungs(ladders(tool, args, steps)) == rungs(ladders(tool, args, steps))
