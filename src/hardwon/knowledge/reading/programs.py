"""Programs known by name: which start others, which have sub-commands, which run code."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

ASSIGNMENT = r"(?s)[A-Za-z_]\w*\+?=.*"
KEYWORDS = frozenset(
    ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "!", "{", "}"]
)
SHELLS = frozenset(["bash", "sh", "zsh", "dash", "ksh"])
SHELL = r"(?:ba|z|da|k)?sh"  # the same as a pattern
INTERPRETERS = SHELLS | {*("python", "pypy", "node", "ruby", "perl", "php", "deno", "bun")}
_VERSION_LIMIT = 20  # characters of a version after a name: `python3.12`
# Programs that start another, with their options that take a value
_STARTERS = {
    "sudo": "-u -g -h -p -C --user --group",
    "doas": "-u",
    "env": "-u -C -S --unset --chdir",
    "nice": "-n",
    "ionice": "-c -n",
    "stdbuf": "-i -o -e",
    "timeout": "-s -k --signal --kill-after",
    "nohup": "",
    "time": "-f -o",
    "exec": "-a",
    "command": "",
    "builtin": "",
    "xargs": "-n -I -P -L -d -s -E --max-args --max-procs --delimiter",
    "npx": "-p --package -c",
    "pnpx": "",
    "bunx": "",
    "uvx": "--from --with -p --python",
    "xvfb-run": "-s -n",
}
# `poetry run x` starts x: the sub-command, and options that take a value
_RUNNERS = {
    "poetry": ("run", "-C --directory -P --project"),
    "uv": ("run", "--with --python -p --extra --group --project --directory --package"),
    "pdm": ("run", "-p --project"),
    "hatch": ("run", "-e --env"),
    "pipenv": ("run", ""),
    "rye": ("run", ""),
    "conda": ("run", "-n -p --name --prefix"),
    "mamba": ("run", "-n -p --name --prefix"),
    "bundle": ("exec", ""),
    "pipx": ("run", "--spec --python"),
    "npm": ("exec", "--prefix -w --workspace"),
    "pnpm": ("exec", "-C --dir -F --filter"),
    "yarn": ("exec", "--cwd"),
    "rbenv": ("exec", ""),
    "direnv": ("exec", ""),
    "dotenv": ("run", "-f --file"),
    "coverage": ("run", "--source --rcfile --omit --include"),
}
# Programs with sub-commands: options before the sub-command that take a value
_VERBED = {
    "git": "-C -c --git-dir --work-tree",
    "docker": "-H --host --context -c --config",
    "docker-compose": "-p -f --project-name --file --env-file --profile",
    "podman": "--url --connection",
    "kubectl": "-n --namespace --context --cluster --kubeconfig --user",
    "helm": "-n --namespace --kube-context --kubeconfig",
    "terraform": "",
    "tofu": "",
    "npm": "--prefix -w --workspace -C",
    "pnpm": "-C --dir -F --filter --prefix",
    "yarn": "--cwd",
    "bun": "--cwd",
    "pip": "--python --proxy",
    "uv": "--project --directory --config-file",
    "poetry": "-C --directory -P --project",
    "cargo": "-C --config --color",
    "go": "-C",
    "make": "-C -f -j -I --directory --file",
    "mvn": "-f -pl -P --file",
    "gradle": "-p -b",
    "gradlew": "-p -b",
    "dotnet": "",
    "gh": "-R --repo",
    "aws": "--profile --region --endpoint-url --output",
    "gcloud": "--project --account --format",
    "az": "--subscription -o --output",
    "heroku": "-a --app",
    "apt": "-o -t",
    "apt-get": "-o -t",
    "apk": "",
    "dnf": "",
    "yum": "",
    "brew": "",
    "conda": "",
    "bundle": "",
    "gem": "",
    "composer": "-d --working-dir",
    "rustup": "",
    "systemctl": "-H -M",
    "service": "",
    "rails": "",
    "flask": "--app -A",
    "alembic": "-c --config",
    "openssl": "",
    "vagrant": "",
    "ansible": "",
}
# First words of sub-commands of two words
_NOUNS = frozenset(
    [
        *("compose", "image", "container", "volume", "network", "buildx", "config", "mod", "run"),
        *("stash", "remote", "submodule", "worktree", "bisect", "pr", "issue", "repo", "release"),
        *("pip", "env", "state", "workspace", "rollout", "auth", "get", "describe", "delete"),
        *("s3", "ec2", "iam", "tool", "python", "set", "create", "workflow"),
    ]
)
_TWO_WORDS = frozenset(
    ["docker", "podman", "git", "gh", "uv", "go", "terraform", "helm", "aws", "gcloud", "az"]
) | {*("npm", "pnpm", "yarn", "bun", "conda", "poetry", "pip", "kubectl", "cargo", "composer")}
# Sub-commands that a script of a project may have: `./dev.sh test`. Other words are operands.
_TASKS = frozenset(
    [
        *("all", "bench", "bootstrap", "build", "check", "ci", "clean", "codegen", "compile"),
        *("coverage", "db", "deploy", "dev", "dist", "docs", "down", "fix", "fmt", "format"),
        *("gen", "generate", "init", "install", "lint", "migrate", "package", "publish"),
        *("release", "reset", "run", "seed", "serve", "setup", "shell", "sql", "start", "stop"),
        *("sync", "test", "tests", "typecheck", "types", "up", "update", "upgrade", "watch"),
    ]
)
_INNER = {"compose": "-p -f --project-name --file --env-file --profile --project-directory"}
_INNER |= {f"{name} run": "--prefix -w --workspace --filter" for name in ("npm", "pnpm", "yarn")}
_OWN_TASK = r"[a-z][\w-]*(?::[\w-]+)+"  # as `db:migrate`
_MODULES = frozenset(["python", "pypy"])
_CODE_FLAGS = {"python": "c", "pypy": "c", "node": "e", "bun": "e", "deno": "e", "perl": "e"}
_CODE_FLAGS |= {"ruby": "e", "php": "r", "psql": "c", "mysql": "e"}


class Starter(NamedTuple):
    """The words before a program (`FOO=1`, `sudo -u me`), and the words from the program on."""

    env: tuple[str, ...]
    via: tuple[str, ...]
    rest: list[str]


def unquoted(word: str) -> str:
    """The word without the quotes around it."""
    is_quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if is_quoted else word


def is_message_of(program: str, text: str) -> bool:
    """Whether a text has a message of the program: `pip3: …`, `bash: mkdir: …`, `/bin/rm: …`."""
    at = text.find(program)
    while at >= 0:
        end = at + len(program)
        after = text[end : end + _VERSION_LIMIT].lstrip("0123456789.")
        if after.startswith(": ") and _is_apart(text, at):
            return True
        at = text.find(program, end)
    return False


def _is_apart(text: str, at: int) -> bool:
    """Whether a name begins there; the end of a path is a file, unless the path begins a line."""
    if text[at - 1 : at] == "/":
        start = text.rfind("\n", 0, at) + 1
        return " " not in text[start:at]
    return at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_.")


def starter(words: list[str], name: str) -> Starter | None:
    """What starts the program (`sudo`, `env` …); None if the program comes first."""
    if re.fullmatch(ASSIGNMENT, words[0]):
        return Starter((words[0],), (), words[1:])
    if name in _STARTERS:
        end = _past_options(words, 1, _STARTERS[name])
        return _cut(words, end + (name == "timeout"))
    if name in _RUNNERS:
        return _run_by(words, *_RUNNERS[name])
    if name in _MODULES and len(words) > 2 and words[1] == "-m":
        return Starter((), (f"{words[0]} -m",), words[2:])
    if name in SHELLS and len(words) > 1 and re.fullmatch(rf"[\w./-]+\.{SHELL}", words[1]):
        return Starter((), (words[0],), words[1:])
    return None


def _run_by(words: list[str], verb: str, options: str) -> Starter | None:
    """The starter `poetry run` of `poetry run pytest`, with options before and after `run`."""
    at = _past_options(words, 1, options)
    if words[at : at + 1] != [verb]:
        return None
    return _cut(words, _past_options(words, at + 1, options))


def _cut(words: list[str], end: int) -> Starter | None:
    """The starter up to `end`; None if it starts nothing, as a plain `env` or `time`."""
    env = [word for word in words[1:end] if re.fullmatch(ASSIGNMENT, word)]
    via = " ".join(word for word in words[:end] if word not in env)
    return Starter(tuple(env), (via,), words[end:]) if end < len(words) else None


def _past_options(words: list[str], at: int, valued: str) -> int:
    """The index of the first word that is neither an option nor the value of one."""
    takes_value = frozenset(valued.split())
    while at < len(words):
        word = words[at]
        if word == "--":
            return at + 1
        if word in takes_value:
            at += 2
        elif word[0] in "-+" and len(word) > 1:
            at += 1
        else:
            return at
    return len(words)


@lru_cache(maxsize=256)
def program_name(program: str) -> str:
    """The program without quotes, directory and version."""
    name = unquoted(program).rsplit("/", 1)[-1]
    versioned = re.fullmatch(r"(python|pip|node|ruby|perl|php|pypy)[\d.]{1,8}", name)
    return versioned[1] if versioned else name


def is_project_file(program: str) -> bool:
    """Whether a program is a file of a project, as `./dev.sh` or `bin/app`."""
    return "/" in program and not program.startswith(("/bin/", "/usr/bin/"))


def sub_command(program: str, words: list[str]) -> tuple[str, tuple[str, ...], list[str]]:
    """The sub-command, the options before it with their values, and the words after it."""
    name = program_name(program)
    if name not in _VERBED:
        is_task = is_project_file(program) and bool(words) and _is_task(words[0])
        return (words[0], (), words[1:]) if is_task else ("", (), words)
    at = _past_options(words, 0, _VERBED[name])
    if at >= len(words):
        return "", (), words
    verb, before = words[at], _joined(words[:at], _VERBED[name])
    if verb not in _NOUNS or name not in _TWO_WORDS:
        return verb, before, words[at + 1 :]
    inner = _INNER.get(f"{name} {verb}") or _INNER.get(verb, "")
    then = _past_options(words, at + 1, inner) if inner else at + 1
    if then >= len(words) or words[then].startswith("-"):
        return verb, before, words[at + 1 :]
    before = (*before, *_joined(words[at + 1 : then], inner))
    return f"{verb} {words[then]}", before, words[then + 1 :]


def _is_task(word: str) -> bool:
    return word in _TASKS or bool(re.fullmatch(_OWN_TASK, word))


def _joined(words: list[str], valued: str) -> tuple[str, ...]:
    """Options joined with their values: `-p x`."""
    takes_value, options = frozenset(valued.split()), list[str]()
    for before, word in zip(["", *words], words, strict=False):
        if before in takes_value and options:
            options[-1] += f" {word}"
        else:
            options.append(word)
    return tuple(options)


def interpreter(name: str, words: list[str]) -> int:
    """The index of the inline code on an interpreter's command line; 0 if there is none."""
    letter = _CODE_FLAGS.get(name)
    at = 0
    while letter and at < len(words) - 1 and words[at][0] == "-":
        if not words[at].startswith("--") and words[at].endswith(letter):
            return at + 1
        at += 2 if words[at] in {"-W", "-X"} else 1
    return 0
