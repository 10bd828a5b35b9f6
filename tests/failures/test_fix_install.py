"""A missing module or program that a run installs."""

from __future__ import annotations

from tests.failures.fix_cases import applied_in, case, shown_by

MISSING = "!ModuleNotFoundError: No module named 'openpyxl'"
CASES = (
    case(
        "a module, used by other code afterwards",
        ('python3 -c "import openpyxl"', MISSING),
        ("pip install openpyxl==3.1 2>&1 | tail -3", "Successfully installed openpyxl-3.1"),
        ('cd task && python3 -c "import openpyxl; print(1)"', "1"),
        sort="preparation",
        says=("First run `pip install openpyxl==3.1`",),
        never=("cd",),
    ),
    case(
        "a name that is spelt with another mark",
        ('python3 -c "import scikit_image"', "!No module named scikit_image"),
        ("python3 -m pip install Scikit-Image", "Successfully installed"),
        ('python3 -c "import scikit_image; print(1)"', "1"),
        sort="preparation",
        says=("pip install Scikit-Image",),
    ),
    case(
        "a program",
        ("ffmpeg -i a.mp4", "!bash: line 1: ffmpeg: command not found"),
        ("apt-get install -y ffmpeg", "Setting up ffmpeg"),
        ("ffmpeg -i b.mp4 b.wav", "done"),
        sort="preparation",
        says=("apt-get install -y ffmpeg",),
    ),
    case(
        "an installation that failed",
        ('python3 -c "import openpyxl"', MISSING),
        ("pip install openpyxl", "!error: externally-managed-environment"),
        ("make sheet KIND=openpyxl", "done"),
    ),
    case(
        "an installation that is not used",
        ('python3 -c "import openpyxl"', MISSING),
        ("pip install openpyxl", "Successfully installed openpyxl-3.1"),
        ("make sheet", "done"),
    ),
    case(
        "a file that is only staged",
        ("python -m reqtools", "!No module named reqtools"),
        ("git add reqtools", ""),
        ("PYTHONPATH=src python -m reqtools", "done"),
        sort="call",
        says=("Set `PYTHONPATH=src`",),
    ),
    case(
        "another package",
        ('python3 -c "import openpyxl"', MISSING),
        ("pip install pandas", "Successfully installed pandas"),
        ('python3 -c "import pandas; print(1)"', "1"),
    ),
    case(
        "a package that is only removed",
        ('python3 -c "import openpyxl"', MISSING),
        ("pip uninstall openpyxl", "Not installed"),
        ("python3 -c \"print('openpyxl')\"", "openpyxl"),
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)
