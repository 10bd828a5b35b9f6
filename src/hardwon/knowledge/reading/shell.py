"""Parse shell text into the commands that it runs. Words stay as they were typed.

    cd web && CI=1 sudo -u me pnpm --dir app run test -q a.py 2>&1 | tail

gives two commands. The first has program `pnpm`, verb `run test`, flags `-q` and `--dir app`,
target `a.py`, env `CI=1`, cwd `web`, via `sudo -u me`. The second is `tail`, fed by a pipe.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

ASSIGNMENT = r"(?s)[A-Za-z_]\w*\+?=.*"
KEYWORDS = frozenset(
    ["if", "then", "else", "elif", "fi", "do", "done", "while", "until", "esac", "!", "{", "}"]
)
SHELLS = frozenset(["bash", "sh", "zsh", "dash", "ksh"])
SHELL = r"(?:ba|z|da|k)?sh"  # the same as a pattern
INTERPRETERS = SHELLS | {*("python", "pypy", "node", "ruby", "perl", "php", "deno", "bun")}
_VERSION_LIMIT = 20  # characters of a version after a name: `python3.12`
_STARTER_NAMES = (  # programs that start another
    "sudo doas env nice ionice stdbuf timeout nohup time exec command builtin xargs npx pnpx bunx"
    " uvx xvfb-run"
)
_STARTER_OPTIONS = (  # those of them that take a value
    "-u -g -h -p -C -S -n -c -i -o -e -s -k -f -a -I -P -L -d -E --user --group --unset --chdir"
    " --signal --kill-after --max-args --max-procs --delimiter --package --from --with --python"
)
_RUNNERS = {  # `poetry run x` starts x
    **dict.fromkeys(("poetry", "uv", "pdm", "hatch", "pipenv", "rye", "conda", "mamba"), "run"),
    **dict.fromkeys(("pipx", "dotenv", "coverage"), "run"),
    **dict.fromkeys(("bundle", "npm", "pnpm", "yarn", "rbenv", "direnv"), "exec"),
}
_RUNNER_OPTIONS = (
    "-C -P -e -n -w -F -f --directory --project --with --python --extra --group --package --env"
    " --name --prefix --spec --workspace --dir --filter --cwd --file --source --rcfile --omit"
    " --include"
)
_VERBED_NAMES = (  # programs with sub-commands
    "git docker docker-compose podman kubectl helm terraform tofu npm pnpm yarn bun pip uv poetry"
    " cargo go make mvn gradle gradlew dotnet gh aws gcloud az heroku apt apt-get apk dnf yum brew"
    " conda bundle gem composer rustup systemctl service rails flask alembic openssl vagrant"
)
_VERBED_OPTIONS = (  # options before the sub-command that take a value
    "-C -c -H -p -f -n -w -F -P -j -I -R -a -o -t -d -M -A -pl -b --git-dir --work-tree --host"
    " --context --config --project-name --file --env-file --profile --project-directory --url"
    " --connection --namespace --cluster --kubeconfig --user --kube-context --prefix --workspace"
    " --dir --filter --cwd --python --proxy --project --directory --config-file --color --repo"
    " --region --endpoint-url --output --account --format --subscription --app --working-dir"
)
_NOUN_NAMES = (  # first words of sub-commands of two words
    "compose image container volume network buildx config mod run stash remote submodule worktree"
    " bisect pr issue repo release pip env state workspace rollout auth get describe delete s3 ec2"
    " iam tool python set create workflow"
)
_TWO_WORD_NAMES = (
    "docker podman git gh uv go terraform helm aws gcloud az npm pnpm yarn bun conda poetry pip"
    " kubectl cargo composer"
)
_TASK_NAMES = (  # sub-commands that a script of a project may have: `./dev.sh test`
    "all bench bootstrap build check ci clean codegen compile coverage db deploy dev dist docs down"
    " fix fmt format gen generate init install lint migrate package publish release reset run seed"
    " serve setup shell sql start stop sync test tests typecheck types up update upgrade watch"
)
_STARTERS, _STARTER_VALUES = frozenset(_STARTER_NAMES.split()), frozenset(_STARTER_OPTIONS.split())
_RUNNER_VALUES, _VERBED = frozenset(_RUNNER_OPTIONS.split()), frozenset(_VERBED_NAMES.split())
_VERBED_VALUES, _NOUNS = frozenset(_VERBED_OPTIONS.split()), frozenset(_NOUN_NAMES.split())
_TWO_WORDS, _TASKS = frozenset(_TWO_WORD_NAMES.split()), frozenset(_TASK_NAMES.split())

_OWN_TASK = r"[a-z][\w-]*(?::[\w-]+)+"  # as `db:migrate`
_MODULES = frozenset(["python", "pypy"])
_CODE_FLAGS = {"python": "c", "pypy": "c", "node": "e", "bun": "e", "deno": "e", "perl": "e"}
_CODE_FLAGS |= {"ruby": "e", "php": "r", "psql": "c", "mysql": "e"}
_READ = 8_192  # characters of a text that are read
_COMMANDS, _PARTS = 40, 200  # at most, commands and pieces between operators
_DEPTH = 3  # shells within shells

# Linear: every repetition is possessive; an unclosed quote or bracket is one character.
_PIECE = (
    r"[^\s'\"\\|&;<>()`$]++|'[^']*+'|\"[^\"\\]*+(?:\\[\s\S][^\"\\]*+)*\"|\\[\s\S]"
    r"|\$\([^()]*+(?:\([^()]*+\)[^()]*+)*\)|`[^`]*+`|\$\{[^}\n]{0,200}+\}|['\"\\`$]"
)
_TOKEN = (
    r"(?P<space>[ \t\r\f\v]++|\\\n)|(?P<comment>(?<![^\s;&|(])#[^\n]*+)"
    r"|(?P<document><<-?(?!<)[ \t]*+(?P<mark>'[^'\n]*+'|\"[^\"\n]*+\"|\\?[\w.-]++))"
    r"|(?P<process>[<>]\([^()]*+(?:\([^()]*+\)[^()]*+)*\))"
    r"|(?P<redirect>(?:\d{1,2}|&)?(?:<<<|<>|>>|>\||[<>])(?:&(?:\d{1,2}|-))?)"
    rf"|(?P<end>&&|\|\||\|&|;;|[|;&\n()])|(?P<word>(?:{_PIECE})+)"
)


class Command(NamedTuple):
    """One command with its directory and environment. Every word is as typed."""

    program: str
    verb: str = ""  # the sub-command: `commit`, `compose up`
    flags: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    env: tuple[str, ...] = ()  # its assignments, and earlier exports
    cwd: str = ""
    script: str = ""  # its here-document or `-c` code
    via: tuple[str, ...] = ()  # what starts it: `sudo`, `poetry run`, `python -m`
    writes: tuple[str, ...] = ()  # files that its redirections write
    joint: str = ""  # the operator before it: "", "&&", "||", "|", ";" or a newline
    text: str = ""  # the whole command with redirections, without here-documents
    words: tuple[str, ...] = ()  # from the program on, without redirections; `python -m` is kept

    @property
    def name(self) -> str:
        """The program without its directory and version: `python` for `/usr/bin/python3.11`."""
        return program_name(self.program)

    @property
    def builtin(self) -> str:
        """The name of a system program; "" for a file of a project, as `bin/test`."""
        return "" if is_project_file(self.program) else self.name

    @property
    def call(self) -> str:
        """How it is started: `via`, the program, the sub-command."""
        return " ".join(part for part in (*self.via, self.program, self.verb) if part)

    @property
    def operands(self) -> tuple[str, ...]:
        """The targets without the quotes around them."""
        return tuple(map(unquote, self.targets))

    @property
    def does(self) -> str:
        """The name of the program with the sub-command: `git commit`."""
        return f"{self.name} {self.verb}".rstrip()


@lru_cache(maxsize=256)  # several rules parse the same call, and again as an earlier step
def parse(text: str) -> tuple[Command, ...]:
    """The commands of a text in order; `cd` and `export` become `cwd` and `env` of the others."""
    return tuple(_commands(text[:_READ], depth=0))[:_COMMANDS]


def deciding_commands(commands: Sequence[Command]) -> list[Command]:
    """The commands whose failure is the exit status: the last `&&` chain, the end of each pipe."""
    chain: list[Command] = []
    for command in commands:
        if command.joint == "|":
            chain = [*chain[:-1], command]
        elif command.joint == "&&":
            chain = [*chain, command]
        else:
            chain = [command]
    return chain


def main_command(text: str) -> Command:
    """The main command of a text: the last one that is no output filter, `echo` or the like."""
    commands = parse(text)
    heads = [command for command in commands if command.joint != "|"]
    working = [
        command
        for command in heads
        if command.name not in {"echo", "printf", "true", "source", "."}
    ]
    return (working or heads or [Command("")])[-1]


class _Part:
    """One command while its words are being read."""

    def __init__(self, joint: str) -> None:
        self.joint = joint
        self.words: list[str] = []
        self.starts: list[int] = []
        self.end = 0  # of its last word or redirection
        self.writes: list[str] = []
        self.documents: list[str] = []

    def take(self, token: re.Match[str], redirected: str) -> None:
        """Add a word as an argument, or as the file of a redirection."""
        self.end = token.end()
        if not redirected:
            self.words.append(token[0])
            self.starts.append(token.start())
        elif ">" in redirected and unquote(token[0]) != "/dev/null":
            self.writes.append(unquote(token[0]))


def _commands(text: str, *, depth: int) -> list[Command]:
    cwd, env, commands = "", list[str](), list[Command]()
    for part in _parts(text):
        skipped = _keywords(part.words)
        words = part.words[skipped:]
        if not words:
            continue
        if words[0] in {"cd", "pushd"}:
            target = next((word for word in words[1:] if not word.startswith("-")), "")
            is_below = cwd and target[:1] not in {"/", "~", "$", '"', "'"}
            cwd = f"{cwd}/{target}" if is_below else target
        elif words[0] in {"export", "set", "declare"} or all(map(_is_assignment, words)):
            env += filter(_is_assignment, words)
        else:
            typed = text[part.starts[skipped] : part.end]
            commands += _make(part, words, depth=depth, typed=typed, place=(cwd, tuple(env)))
    return commands


def _parts(text: str) -> list[_Part]:
    """The commands as lists of words, with their redirections and here-documents."""
    parts, at, redirected, opened = [_Part("")], 0, "", list[tuple[str, _Part]]()
    groups = 0  # parentheses that are open
    while len(parts) <= _PARTS and at < len(text) and (token := re.compile(_TOKEN).match(text, at)):
        kind, part, at = token.lastgroup, parts[-1], token.end()
        if kind in {"word", "process"}:
            part.take(token, redirected)
            redirected = ""
        elif kind in {"document", "mark"}:
            opened.append((token["mark"].strip("'\"\\"), part))
            part.end = at
        elif kind == "redirect":
            redirected = "" if token[0][-1] in "-0123456789" else token[0]
            part.end = at
        elif kind == "end":
            at = _read_documents(text, at, opened) if token[0] == "\n" else at
            groups += (token[0] == "(") - (token[0] == ")")
            if groups < 0:
                _drop_patterns(parts)
                groups = 0
            parts.append(_Part("|" if token[0] == "|&" else token[0]))
            redirected = ""
    return parts


def _drop_patterns(parts: list[_Part]) -> None:
    """Drop the words before the `)` of a branch of `case`, as in `a | b) …`."""
    for part in reversed(parts):
        part.words.clear()
        if part.joint != "|":
            return


def _read_documents(text: str, at: int, opened: list[tuple[str, _Part]]) -> int:
    """Read the here-documents that begin at `at`; return the position after them."""
    for mark, part in opened:
        lines = text[at:].splitlines(keepends=True)
        last = next((k for k, line in enumerate(lines) if line.strip() == mark), len(lines))
        body = "".join(lines[:last])
        part.documents.append(body)
        end = text.find("\n", at + len(body))
        at = end + 1 if end >= 0 else len(text)
    opened.clear()
    return at


def _keywords(words: list[str]) -> int:
    """How many of the first words are shell keywords; all words of a `for x in …`."""
    at = 0
    while at < len(words) and words[at] in KEYWORDS:
        at += 1
    return len(words) if words[at : at + 1] in (["for"], ["case"], ["select"]) else at


def _is_assignment(word: str) -> bool:
    return bool(re.fullmatch(ASSIGNMENT, word))


def _make(
    part: _Part, words: list[str], *, depth: int, typed: str, place: tuple[str, tuple[str, ...]]
) -> list[Command]:
    started = _split_starters(words)
    env, words = (*place[1], *started.env), started.rest
    script = "\n".join(part.documents)
    if not words:
        return []
    program, arguments = words[0], words[1:]
    name = program_name(program)
    if name in SHELLS and depth < _DEPTH and (code := _shell_code(arguments)):
        inner = _commands(code, depth=depth + 1)
        return [_within(command, part, place=(place[0], env), via=started.via) for command in inner]
    if code_at := interpreter(name, arguments):
        script, arguments = unquote(arguments[code_at]), arguments[:code_at]
    verb, before, arguments = sub_command(program, arguments)
    flags = (*before, *(word for word in arguments if _is_flag(word)))
    targets = tuple(word for word in arguments if not _is_flag(word))
    module = started.via[-1].split() if started.via and started.via[-1].endswith(" -m") else ()
    writes = (*part.writes, *(map(unquote, targets) if name == "tee" else ()))
    return [
        Command(
            *(program, verb, flags, targets, env, place[0], script),
            *(started.via, writes, part.joint, typed, (*module, *started.rest)),
        )
    ]


def _split_starters(words: list[str]) -> Starter:
    """The assignments and starters before the program, and the words from the program on."""
    env, via = tuple[str, ...](), tuple[str, ...]()
    while words and (step := starter(words, program_name(words[0]))):
        env, via, words = (*env, *step.env), (*via, *step.via), step.rest
    return Starter(env, via, words)


def _within(
    command: Command, part: _Part, *, place: tuple[str, tuple[str, ...]], via: tuple[str, ...]
) -> Command:
    """A command of an inner shell, with the directory and environment of both shells."""
    joint = command.joint or part.joint
    return command._replace(
        env=(*place[1], *command.env),
        cwd=command.cwd or place[0],
        via=(*via, *command.via),
        writes=(*command.writes, *part.writes),
        joint=joint,
    )


def _shell_code(words: list[str]) -> str:
    """The code after `-c` or `-lc`; "" if there is none."""
    for flag, code in pairwise(words):
        if re.fullmatch(r"-[a-z]{0,4}c", flag):
            return unquote(code).replace('\\"', '"') if code.startswith('"') else unquote(code)
        if not flag.startswith("-"):
            return ""
    return ""


def _is_flag(word: str) -> bool:
    return len(word) > 1 and word[0] == "-"


class Starter(NamedTuple):
    """The words before a program (`FOO=1`, `sudo -u me`), and the words from the program on."""

    env: tuple[str, ...]
    via: tuple[str, ...]
    rest: list[str]


def unquote(word: str) -> str:
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
        end = _past_options(words, 1, _STARTER_VALUES)
        return _cut(words, end + (name == "timeout"))
    if name in _RUNNERS:
        at = _past_options(words, 1, _RUNNER_VALUES)
        is_run = words[at : at + 1] == [_RUNNERS[name]]
        return _cut(words, _past_options(words, at + 1, _RUNNER_VALUES)) if is_run else None
    if name in _MODULES and len(words) > 2 and words[1] == "-m":
        return Starter((), (f"{words[0]} -m",), words[2:])
    if name in SHELLS and len(words) > 1 and re.fullmatch(rf"[\w./-]+\.{SHELL}", words[1]):
        return Starter((), (words[0],), words[1:])
    return None


def _cut(words: list[str], end: int) -> Starter | None:
    """The starter up to `end`; None if it starts nothing, as a plain `env` or `time`."""
    env = [word for word in words[1:end] if re.fullmatch(ASSIGNMENT, word)]
    via = " ".join(word for word in words[:end] if word not in env)
    return Starter(tuple(env), (via,), words[end:]) if end < len(words) else None


def _past_options(words: list[str], at: int, takes_value: frozenset[str]) -> int:
    """The index of the first word that is neither an option nor the value of one."""
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
    name = unquote(program).rsplit("/", 1)[-1]
    versioned = re.fullmatch(r"(python|pip|node|ruby|perl|php|pypy)[\d.]{1,8}", name)
    return versioned[1] if versioned else name


def is_project_file(program: str) -> bool:
    """Whether a program is a file of a project, as `./dev.sh` or `bin/app`."""
    return "/" in program and not program.startswith(("/bin/", "/usr/bin/"))


def sub_command(program: str, words: list[str]) -> tuple[str, tuple[str, ...], list[str]]:
    """The sub-command, the options before it with their values, and the words after it."""
    name = program_name(program)
    if name not in _VERBED:
        task = words[0] if words and is_project_file(program) else ""
        is_task = task in _TASKS or re.fullmatch(_OWN_TASK, task)
        return (words[0], (), words[1:]) if is_task else ("", (), words)
    at = _past_options(words, 0, _VERBED_VALUES)
    if at >= len(words):
        return "", (), words
    verb, before = words[at], _join_options(words[:at])
    if verb not in _NOUNS or name not in _TWO_WORDS:
        return verb, before, words[at + 1 :]
    takes_options = verb in {"compose", "run"}
    then = _past_options(words, at + 1, _VERBED_VALUES) if takes_options else at + 1
    if then >= len(words) or words[then].startswith("-"):
        return verb, before, words[at + 1 :]
    before = (*before, *_join_options(words[at + 1 : then]))
    return f"{verb} {words[then]}", before, words[then + 1 :]


def _join_options(words: list[str]) -> tuple[str, ...]:
    """Options joined with their values: `-p x`."""
    options: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        if before in _VERBED_VALUES and options:
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
