"""No framework: pip install hardwon"""

from shell import TASK, bash

import hardwon
from hardwon.integrations.plain import run, watched

with hardwon.open() as hw, run(hw.agent("coder"), TASK) as current:
    print(current.context or "(nothing known yet)")
    shell = watched(current)(bash)
    for command in ("mkdir out/nightly", "mkdir -p out/nightly"):  # what a model might try
        try:
            shell(command)
        except (RuntimeError, PermissionError) as error:  # it failed, or it is known to fail
            print(error, *getattr(error, "__notes__", []), sep="\n")
