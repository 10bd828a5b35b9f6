"""Shell commands taken apart far enough to say how one differs from another."""

from __future__ import annotations

from hardwon._cold import re
from hardwon.text.clean import clip, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple
else:
    from hardwon._cold.namedtuple import NamedTuple

_READ = 4_000  # characters of a command that are looked at
_HEREDOC = r"<<-?[ ]?(['\"]?)(\w{1,40})\1([^\n]{0,400})\n(?:(?!\2\b)[^\n]*+\n)*\2[ \t]*+(?=\n|$)"
_SUBSTITUTION = r"\$\([^()\n]{0,200}\)"
_TOKEN = (
    rf"(?:{_SUBSTITUTION}|\"(?:[^\"\\]|\\.)*\"|'[^']*+'|\\.|[^\s\"'\\|&;<>()]|(?<=[<>])&\d)+"
    r"|&&|\|\||[|;\n]|\d?>{1,2}&?|<<?|[&()<>]"
)
_ENDS = {"&&", "||", ";", "\n", "|", "&"}
_ASSIGNMENT = r"[A-Za-z_]\w*=.*"
_RUNNERS = {"npx", "pnpx", "bunx", "uvx", "pipx", "sudo", "env", "time", "nohup", "exec", "command"}
_RUN_WORDS = {"poetry", "uv", "pdm", "hatch", "pipenv", "conda", "bundle", "rye"}
_WITH_SUBCOMMAND = {
    *("git", "docker", "kubectl", "npm", "yarn", "pnpm", "pip", "pip3", "cargo", "go", "apt-get"),
    *("apt", "brew", "conda", "poetry", "uv", "gh", "systemctl", "terraform", "helm", "make"),
}
_INTERPRETER = r"(?:python|pypy)[\d.]*"


class Command(NamedTuple):
    """The part of a command line that does the work, and the circumstances it runs in."""

    program: str
    words: tuple[str, ...] = ()  # what it works on
    flags: tuple[str, ...] = ()
    via: tuple[str, ...] = ()  # what starts it: sudo, npx, python -m, poetry run
    env: tuple[str, ...] = ()
    cwd: str = ""
    writes: tuple[str, ...] = ()  # files that redirections write
    script: str = ""  # the here-document or -c code

    @property
    def name(self) -> str:
        """The program without its directory."""
        return self.program.rsplit("/", 1)[-1]

    @property
    def call(self) -> str:
        """How it is started, as one would type it."""
        return " ".join((*self.via, self.program))


def parse(text: str) -> Command:
    """The working part of a command line: the last link of its chain, before any pipe."""
    script, rest = _without_heredoc(text[:_READ])
    links = _links(rest)
    cwd, env = "", list[str]()
    chosen: list[str] = []
    for words in links:
        if words[0] == "cd" and len(words) > 1:
            cwd = _bare(words[1])
        elif words[0] in {"export", "set"}:
            env += [word for word in words[1:] if re.fullmatch(_ASSIGNMENT, word)]
        elif words[0] not in {"source", ".", "echo", "true"} or not chosen:
            chosen = words
    return _command(chosen, cwd=cwd, env=env, script=script)


def _without_heredoc(text: str) -> tuple[str, str]:
    """The first here-document, and the text without any."""
    if "<<" not in text:
        return "", text
    found = re.search(_HEREDOC, text)
    if not found:
        return "", text
    body = found[0].split("\n", 1)[1].rsplit("\n", 1)[0]
    return body, re.sub(_HEREDOC, lambda match: match[3], text)


def _links(text: str) -> list[list[str]]:
    """The parts of a chain as words; what a pipe feeds is left out."""
    links: list[list[str]] = [[]]
    piped = False
    for token in re.findall(_TOKEN, text.replace("\\\n", " ")):
        if token in _ENDS:
            piped = token == "|" or (piped and token == "&")
            links.append([])
        elif not piped:
            links[-1].append(token)
    return [words for words in links if words]


def _command(words: list[str], *, cwd: str, env: list[str], script: str) -> Command:
    words, writes = _redirected(words)
    via: list[str] = []
    while words and (started := _starter(words, via)):
        step, rest = started
        if re.fullmatch(_ASSIGNMENT, step):
            env.append(step)
        else:
            via.append(step)
        words = rest
    if not words:
        return Command("", cwd=cwd, env=tuple(env), writes=writes, script=script)
    program, *rest = words
    if "-c" in rest[:-1] and re.fullmatch(rf"{_INTERPRETER}|bash|sh|node", program):
        script, rest = _bare(rest[rest.index("-c") + 1]), [*rest[: rest.index("-c")], "-c"]
    flags = tuple(word for word in rest if word.startswith("-") and len(word) > 1)
    operands = [_bare(word) for word in rest if not (word.startswith("-") and len(word) > 1)]
    if program in _WITH_SUBCOMMAND and operands:
        program, operands = f"{program} {operands[0]}", operands[1:]
    return Command(
        program, tuple(operands), flags, tuple(via), tuple(env), cwd, writes, script=script
    )


def _starter(words: list[str], via: list[str]) -> tuple[str, list[str]] | None:
    """What stands before the program: an assignment, or something that only starts another."""
    head, rest = words[0], words[1:]
    if re.fullmatch(_ASSIGNMENT, head):
        return head, rest
    if head in _RUNNERS and rest and not rest[0].startswith("-"):
        return head, rest
    if head in {"sh", "bash"} and rest and re.fullmatch(r"[\w./-]+\.(?:ba)?sh", rest[0]):
        return head, rest
    if head == "timeout" and len(rest) > 1:
        return f"timeout {rest[0]}", rest[1:]
    if head in _RUN_WORDS and rest[:1] in (["run"], ["exec"]) and len(rest) > 1:
        return f"{head} {rest[0]}", rest[1:]
    if re.fullmatch(rf"(?:\S*/)?{_INTERPRETER}", head) and rest[:1] == ["-m"] and len(rest) > 1:
        return f"{head} -m", rest[1:]
    return None


def _redirected(words: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The words without redirections, and the files that are written."""
    kept, writes, skip = list[str](), list[str](), ""
    for word in words:
        if skip:
            if ">" in skip and "&" not in skip and word != "/dev/null":
                writes.append(_bare(word))
            skip = ""
        elif re.fullmatch(r"\d?>{1,2}&?|<<?|[<>]", word):
            skip = word
        elif word not in "()":
            kept.append(word)
    return kept, tuple(writes)


def _bare(word: str) -> str:
    """The word without the quotes around it."""
    quoted = len(word) > 1 and word[0] == word[-1] and word[0] in "\"'"
    return word[1:-1] if quoted else word


def changes(old: Command, new: Command) -> tuple[str, ...]:
    """What the new command does differently, in words that follow "you"."""
    found = (
        *_moved(old, new),
        *_restarted(old, new),
        *_prepared(old, new),
        *_reflagged(old, new),
        *_retargeted(old, new),
        *_rewritten(old, new),
    )
    return found[:4]


def _moved(old: Command, new: Command) -> list[str]:
    if old.cwd == new.cwd:
        return []
    return [f"ran it from {_code(new.cwd)}" if new.cwd else f"did not `cd {old.cwd}` first"]


def _restarted(old: Command, new: Command) -> list[str]:
    if old.call == new.call:
        return []
    if old.name == new.name and set(old.via) < set(new.via):
        return [f"ran it with {_code(' '.join(x for x in new.via if x not in old.via))}"]
    return [f"used {_code(new.call)} instead of {_code(old.call)}"]


def _prepared(old: Command, new: Command) -> list[str]:
    added = [one for one in new.env if one not in old.env]
    dropped = [one.split("=")[0] for one in old.env if one not in new.env]
    dropped = [name for name in dropped if not any(one.startswith(f"{name}=") for one in added)]
    return [
        *([f"set {_code(' '.join(added))}"] if added else []),
        *([f"left {_code(' '.join(dropped))} unset"] if dropped else []),
    ]


def _reflagged(old: Command, new: Command) -> list[str]:
    added = [flag for flag in new.flags if flag not in old.flags]
    dropped = [flag for flag in old.flags if flag not in new.flags]
    if added and dropped:
        return [f"used {_code(' '.join(added))} instead of {_code(' '.join(dropped))}"]
    if added:
        return [f"added {_code(' '.join(added))}"]
    return [f"left out {_code(' '.join(dropped))}"] if dropped else []


def _retargeted(old: Command, new: Command) -> list[str]:
    added = [word for word in new.words if word not in old.words]
    dropped = [word for word in old.words if word not in new.words]
    if added and dropped:
        return [f"named {_code(' '.join(added))} instead of {_code(' '.join(dropped))}"]
    if added:
        return [f"added {_code(' '.join(added))}"]
    return [f"left out {_code(' '.join(dropped))}"] if dropped else []


def _rewritten(old: Command, new: Command) -> list[str]:
    """What changed in the code that the command carries."""
    if old.script == new.script or not new.script:
        return []
    known = {line.strip() for line in old.script.splitlines()}
    fresh = [line.strip() for line in new.script.splitlines() if line.strip() not in known]
    shown = [line for line in fresh if line and line[0] not in "#)]}"][:2]
    if not old.script or len(fresh) > 12:
        return ["ran other code"]
    return [f"changed the code to {_code('; '.join(shown))}"] if shown else ["left out some code"]


def _code(text: str) -> str:
    """The text as code on one line; a backtick in it cannot end it."""
    return f"`{clip(one_line(text), 120).replace('`', chr(39))}`"
