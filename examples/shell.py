"""The tool of the examples: runs a command and raises when it fails."""

import subprocess

TASK = "Make the folder for the nightly report"


def bash(command: str) -> str:
    """Run a shell command.

    Args:
        command: The command line.
    """
    ran = subprocess.run(command, shell=True, capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(f"Exit code {ran.returncode}\n{ran.stderr}")
    return ran.stdout
