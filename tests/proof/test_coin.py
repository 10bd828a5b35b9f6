"""The coin that divides runs into two arms."""

import subprocess
import sys

from hardwon.knowledge.proof.effect import toss

NAMES = {"tenant": "acme", "run": "run-1", "family": "7f3a"}


def test_another_process_tosses_the_same_coin() -> None:
    code = (
        "from hardwon.knowledge.proof.effect import toss;"
        "print(toss('salt', tenant='acme', run='run-1', family='7f3a'))"
    )

    elsewhere = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )

    assert float(elsewhere.stdout) == toss("salt", **NAMES)


def test_each_name_changes_the_coin() -> None:
    tosses = {toss("salt", **NAMES), toss("pepper", **NAMES)} | {
        toss("salt", **{**NAMES, name: "another"}) for name in NAMES
    }

    assert len(tosses) == 5


def test_names_do_not_run_into_each_other() -> None:
    assert toss("s", tenant="ab", run="c", family="f") != toss(
        "s", tenant="a", run="bc", family="f"
    )


def test_the_share_is_kept() -> None:
    withheld = sum(
        toss("salt", tenant="acme", run=str(run), family="f") < 0.1 for run in range(100_000)
    )

    assert abs(withheld - 10_000) < 4 * (100_000 * 0.1 * 0.9) ** 0.5
