"""The calls of a step as they were really made, and what identifies each."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hardwon.knowledge.evidence import folding
from hardwon.knowledge.reading.authored import Writing, is_shell, part_writings, tail, writings
from hardwon.knowledge.reading.shell import INTERPRETERS, Command, parse, unquote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

    from hardwon.core.values.run import Step

# Words that agents type in every project: they tell nothing about this one. Counted over recorded
# runs in 34 projects: those in the calls of at least four of them, with the usual flags.
_COMMON = """
--help --include --oneline --short --stat --test --version -0 -1 -10 -2 -20 -3 -5 -A -B -C -E -F
-L -R -Z -a -am -b -ba -c -d -e -f -h -i -j -k -l -la -m -maxdepth -n -nC -nE -name -not -o -p
-path -q -qam -qm -r -rf -rn -s -t -type -u -v -w -x -y -z HEAD None add after again all and any
args argument as assert awk bad base basename bash be bin bisect blame bool branch break build
by call called cat cat-file cd change check checkout chmod class clean clone code commit config
context convert core count cp curl cut data date db debug decimal default del describe dev df
dict diff dirname dist do docs du echo else enumerate env error exec exit export expr false
fetch file find first fix float foo for format from get git grep group head health help hostname
html http id if ignore in include indent index init install int invalid is join jq json key keys
kill lambda less lib limit line lines lint list log ls ls-files ls-tree main make max md5sum
memory merge method migrate mkdir module more mv name names need new nl node not now npm npx
null numbers object of on only open or os other out parent parse pass patch pip pop print printf
ps pull push pwd py pytest python python3 raise realpath rebase release remote replace report
reset restore result return rev-list rev-parse revert rm run schema scripts sed select seq set
sh show size sleep sort source spec split sql sqlite3 src start stash stat state status str sum
switch sys table tag tail tar tee test tests text the timeout tmp to tools topic touch tr true
try type types uname uniq unittest unzip use usr utils valid value var version wait wc which
while whoami with workspace worktree xargs
"""
_READERS = """
[ [[ ack ag awk basename cat chmod cmp column cp cut df diff dirname du egrep env fgrep file
find grep head hexdump history id jq less ln ls man md5sum mkdir more mv nl od printenv ps
readlink realpath rg rm sed sha256sum sort stat strings tail test top touch tr tree type uname
uniq wc whereis which whoami xxd
"""
_PLUMBING = """
. : break cd continue date echo exit export false kill printf pwd read set sleep source tee true
unset wait xargs
"""
_LOOKING = """
--help --list --version blame cat-file describe diff explain for-each-ref get grep help info inspect
list log lookup ls-files ls-tree reflog rev-list rev-parse schema search shortlog show status
version view whoami why
"""
COMMON = frozenset(_COMMON.split())
PLUMBING = frozenset(_PLUMBING.split())  # words of the shell itself
# Programs that only look, or that change no more than a file: what they print is an answer.
READERS = frozenset(_READERS.split()) | PLUMBING
LOOKING = frozenset(_LOOKING.split())  # sub-commands and flags of programs that else do something
SETTING_UP = frozenset([".", "cd", "export", "source"])  # words that prepare the shell for others
HELP = frozenset(["--help", "-h", "help"])
EXPLAINING = HELP | {"explain", "why"}

CHANGING = frozenset(["mkdir", "touch", "cp", "mv", "rm", "ln", "chmod", "patch", "-delete"])
_READ = 8_192  # characters of a command line that are looked at
_MOST = 40  # calls of one step
_RUN = 2  # words of a call that may name a file which is run
_SUBS = 2  # words that may be sub-commands
_FUNCTION = re.compile(
    r"(?:^|(?<=[;&\n]))[ \t]*(?:function[ \t]+)?([A-Za-z_]\w*)[ \t]*\(\)[ \t\n]*\{"
    r"((?:[^{}'\"$#]|(?<!\s)#|(?<=\s)#[^\n]*|'[^']*'|\"[^\"]*\"|\$(?:\{[^{}]*\})?)*)\}"
)
_EXPORT = re.compile(r"(?:^|(?<=[;&\n]))[ \t]*export[ \t]+([^;&|\n]+)")
_PRINTED = re.compile(r"(?:^|(?<=[;&\n]))[ \t]*\w+=\"?\$\(([^()`]*)\)\"?")  # n=$(prog x)
_ASSIGNED = re.compile(r"(?<![\w$])([A-Z][A-Z0-9_]*)=")
# Redirections that only hide or join an output
_HIDDEN = re.compile(r"(?<!\s)\s*+(?:(?:&>|\d?>>?) ?/dev/null|\d>&\d)")
_JSON = re.compile(r'"(\{(?:[^"\\]|\\.)*\})"')
_ARGUMENTS = re.compile(r'"\$(?:[@*]|\{[@*]\})"|\$(?:@|\{@\})')
_NUMBERED = re.compile(r'"\$\{?([1-9])\}?"|\$\{?([1-9])\}?')
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_UNKNOWN = ("$", '"$')  # how a program begins that is a variable
_FIXED = re.compile(r"[a-z][\w:.+-]*")  # a sub-command, a task, the name of a tool
_FILE = re.compile(r"\.[A-Za-z]\w{0,4}\b")
_NAMES = re.compile(r'"([A-Za-z_][\w-]{0,40})"\s*:')
_WORD = re.compile(r"[\w-]{3,}+")
_WORDS = re.compile(r"[A-Za-z_][\w.:-]{2,}")


class Call(NamedTuple):
    """One call: a simple command, or a tool with named arguments."""

    program: str
    text: str  # as it was typed, without redirections that only hide output
    shape: str  # program, sub-commands, flags and names of arguments, without values
    kind: str  # the same without names of arguments: calls of one kind do the same sort of thing
    words: frozenset[str]  # everything it names, values too
    is_tool: bool = False
    has_script: bool = False  # it runs code that stands in the call
    writes: bool = False  # it writes or changes a file
    writings: tuple[Writing, ...] = ()  # to files, as far as they are named
    script: str = ""  # its here-document, which is no part of the text
    is_fallback: bool = False  # it runs only if the call before it failed: `call || fallback`
    is_piped: bool = False  # it reads what the call before it prints

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it writes."""
        return tuple(writing.path for writing in self.writings)

    @property
    def typed(self) -> str:
        """The text with the here-document."""
        return f"{self.text}\n{self.script}" if self.script else self.text

    @property
    def changes(self) -> bool:
        """Whether it changes a file that was there before."""
        return any(writing.is_edit for writing in self.writings)

    @property
    def is_blind(self) -> bool:
        """Whether it changes a file by its line numbers alone: those differ in the next run."""
        is_known = self.is_tool or self.script or any(each.old for each in self.writings)
        if is_known or not self.changes:
            return False
        said = [word for word in self.text.split()[1:] if word not in self.paths]
        has_words = any(re.search(r"[A-Za-z]{3}", word) for word in said)
        return not has_words and any(re.search(r"\d", word) for word in said)

    @property
    def family(self) -> str:
        """Equal for calls of one sort: names that differ only before their last dot are alike."""
        words = (self.shape if self.is_tool else self.kind).split()
        return " ".join(sorted({word.rpartition(".")[2] or word for word in words}))

    def is_same(self, other: Call) -> bool:
        """Whether another call is the same; two tools may be given the same arguments."""
        return (self.program, self.text) == (other.program, other.text)

    @property
    def own_words(self) -> frozenset[str]:
        """The words of its shape that are not typed in every project."""
        return frozenset(self.shape.split()) - COMMON


def is_own(call: Call) -> bool:
    """Whether a call tells something about its project: it names what is not typed everywhere.

    Of a program that everybody knows, flags alone tell nothing.
    """
    if call.has_script or (call.program in READERS and not call.is_tool):
        return False
    is_known = call.program in COMMON
    return any(not (is_known and word.startswith("-")) for word in call.own_words)


def only_asks(call: Call) -> bool:
    """Whether a call changes nothing: it looks, or its sub-command or a flag asks for something."""
    if call.is_tool or call.writes or call.program in READERS:
        return call.program in READERS and not call.writes
    words = call.kind.split()[1:]
    flags = {word for word in words if word.startswith("-")}
    subs = [re.split(r"[.:]", word)[-1] for word in words if word not in flags][:_SUBS]
    return not LOOKING.isdisjoint((*flags, *subs)) and "$(" not in call.text


def only_looks(call: Call) -> bool:
    """Whether a call changes nothing, as far as everybody knows: it never does what failed."""
    is_known = call.program in COMMON | READERS
    return (is_known and only_asks(call)) or not HELP.isdisjoint(call.shape.split())


def prints_files(call: Call) -> bool:
    """Whether a call prints what is in files, or looks at them otherwise."""
    return call.program in READERS - PLUMBING and not call.writes


def part_words(call: Call) -> list[str]:
    """The program and the part of it that a call names, without flags and variables."""
    return [word for word in call.kind.split() if not word.startswith("-") and "=" not in word]


def values_in(text: str) -> list[str]:
    """The words that a run got from somewhere: they have a digit."""
    return [word for word in _WORD.findall(text) if any(map(str.isdigit, word))]


def runs_one_of(call: Call, files: Set[str]) -> bool:
    """Whether a call runs one of these files, by its name or as a module.

    A program that everybody knows runs one of its first words; others are given files.
    """
    if call.is_tool or call.writes or not files:
        return False
    words = call.text.partition(" -m ")[2].split() or call.text.split()
    words = [word for word in words if not word.startswith("-") and "=" not in word]
    named = words[:_RUN] if call.program in COMMON else []
    return not files.isdisjoint(map(tail, (call.program, *named)))


def names_of(call: Call) -> set[str]:
    """The words of a call, of a path its last name."""
    return set(map(tail, call.text.split()))


def acting_calls(step: Step) -> list[Call]:
    """The calls of a step that do something, and do not only look."""
    return [call for call in calls_of(step) if call.is_tool or call.program not in READERS]


def only_call(step: Step) -> Call | None:
    """The one call that a step is about; None if it has several, or runs code of its own.

    A call that changes files counts where there is no other.
    """
    calls = acting_calls(step) or [call for call in calls_of(step) if call.writes]
    return calls[0] if len(calls) == 1 and not calls[0].has_script else None


def asked_why(step: Step) -> list[Call]:
    """The calls of a step that ask why the call before them failed.

    What shows records, as `show` or `log`, may print what somebody wrote: it does not explain.
    """
    fallbacks = [call for call in calls_of(step) if call.is_fallback and is_own(call)]
    return [call for call in fallbacks if not EXPLAINING.isdisjoint(call.kind.split())]


def calls_of(step: Step) -> tuple[Call, ...]:
    """The calls that a step makes, in order."""
    if is_shell(step):
        return _command_calls(step.args[:_READ])
    return (_tool_call(step.tool, step.args),)


@lru_cache(maxsize=512)
def _command_calls(text: str) -> tuple[Call, ...]:
    functions = dict(_FUNCTION.findall(text))
    rest = _PRINTED.sub(r"\1", _FUNCTION.sub("", text) if functions else text)
    exported = frozenset(name for line in _EXPORT.findall(rest) for name in _ASSIGNED.findall(line))
    exported -= {"PATH"}  # it says where programs are, not how they are called
    return tuple(_expand(_with_exports(parse(rest), exported), functions))[:_MOST]


def _with_exports(commands: tuple[Command, ...], exported: frozenset[str]) -> tuple[Command, ...]:
    """The commands, each with the exported variables in front that it is run with."""
    if not exported:
        return commands
    found: list[Command] = []
    runs = {command.name for command in commands} - PLUMBING - READERS - {""}
    runs = runs - COMMON or runs  # whose variables they are
    for command in commands:
        own = [word for word in command.env if word.partition("=")[0] in exported]
        new = [word for word in own if not command.text.startswith(word)]
        text = " ".join((*new, command.text)) if command.name in runs else command.text
        found.append(command._replace(env=(*new, *command.env), text=text))
    return tuple(found)


def _expand(commands: Iterable[Command], functions: dict[str, str]) -> Iterator[Call]:
    """The calls of commands; functions and variables are replaced by what they stand for."""
    for command in commands:
        body = functions.get(command.program)
        if body is not None:
            yield from _expand(parse(_with_arguments(body, command)), {})
        elif command.program.startswith(_UNKNOWN):
            known = parse(_with_variable(command))
            yield from _expand([one for one in known if not one.program.startswith(_UNKNOWN)], {})
        elif command.program and not command.program.startswith(("(", "{", "[")):
            call = _command_call(command)
            for name, script in functions.items():
                for made in re.findall(rf"\$\(({name}\b[^()]*)\)", call.text):
                    for used in parse(made)[:1]:
                        yield from _expand(parse(_with_arguments(script, used)), {})
                    # `<turn>` for `$(turn)`
                    text = re.sub(rf"(['\"]?)\$\({name}\b[^()]*\)\1", f"<{name}>", call.text)
                    call = call._replace(text=text)
            yield call


def _with_arguments(body: str, command: Command) -> str:
    """The body of a shell function with the arguments of one call."""
    given = command.text[len(command.program) :].strip()
    words = command.words[1:]
    body = _ARGUMENTS.sub(lambda _: given, body)
    return _NUMBERED.sub(lambda m: (words[int(m[1] or m[2]) - 1 :] or ("",))[0], body)


def _with_variable(command: Command) -> str:
    """A command whose program is a variable, with the value of that."""
    values: dict[str, str] = {}
    for assignment in command.env:
        name, _, value = assignment.partition("=")
        values[name] = unquote(value)
    return _VARIABLE.sub(lambda m: values.get(m[1], f"${m[1]}"), command.text, count=1)


def _command_call(command: Command) -> Call:
    own_env = _leading(command.text, command.env)
    words = [unquote(word).replace('\\"', '"') for word in command.words]
    variables = [word.partition("=")[0] + "=" for word in own_env]
    fixed, names = list[str](), list[str]()
    for word, is_name in _shape(command, words):
        (names if is_name else fixed).append(word)
    kind = " ".join((*variables, *fixed))
    shape = " ".join((kind, *dict.fromkeys(names)))
    named = frozenset(word for text in (*own_env, *words) for word in _WORDS.findall(text))
    text = _JSON.sub(
        lambda found: f"'{found[1]}'".replace('\\"', '"'), _HIDDEN.sub("", command.text).strip()
    )
    is_inside = command.cwd and not command.cwd.startswith(("/", "~", "$", "."))
    text = f"cd {command.cwd} && {text}" if is_inside else text
    made = tuple(part_writings(command))
    return Call(
        *(_name(command), text, shape, kind, named),
        has_script=bool(command.script) and not command.writes,
        writes=bool(command.writes or made)
        or not CHANGING.isdisjoint((command.name, *command.flags)),
        writings=made,
        script=command.script if command.script not in command.text else "",
        is_fallback=command.joint == "||",
        is_piped=command.joint == "|",
    )


def _leading(text: str, env: tuple[str, ...]) -> list[str]:
    """The assignments that stand in front of a command."""
    leading: list[str] = []
    while word := next((word for word in env if text.startswith(f"{word} ")), ""):
        leading.append(word)
        text = text[len(word) :].lstrip()
    return leading


def _name(command: Command) -> str:
    """The program of a command; `bin/test` of a project is not the `test` of the shell."""
    is_file = command.name in READERS and not command.builtin
    return unquote(command.program) if is_file else command.name


def _shape(command: Command, words: list[str]) -> Iterator[tuple[str, bool]]:
    """The words of a command that stay when its values change, and whether each names one."""
    yield from ((via.split()[-1], False) for via in command.via if via.endswith("-m"))
    yield _name(command), False
    is_interpreter, is_known = command.name in INTERPRETERS, command.name in COMMON
    is_value = False
    given = words[1:]
    if command.name in given[1:2] and given[0] == "-m":  # the module that an interpreter runs
        given = given[2:]
    for at, word in enumerate(given):
        if word.startswith("-") and len(word) > 1 and not word[1].isdigit():
            yield word.partition("=")[0], False
            is_value = word.startswith("--") and "=" not in word
            continue
        if names := _NAMES.findall(word):
            yield from ((name, True) for name in names)
        elif is_interpreter and at == 0 and (_FILE.search(word) or "/" in word):
            yield word, False
        elif is_value or folding.is_value(word):
            pass
        elif _FIXED.fullmatch(word) and not (is_known and "." in word):
            yield word, False  # programs that everybody knows take files, others take names
        elif is_known and (form := _form(word)):
            yield form, False
        is_value = False


def _form(text: str) -> str:
    """The form of a text whose first word is no plain word, as `A/A-0` for `srv/BOX-12 | …`."""
    first, *rest = text.split() or [""]
    if not rest or not re.search(r"\w[^\w\s'.,:$-]+\w|\w[-_]\d|^\[", first):
        return ""
    return re.sub(r"\d+", "0", re.sub(r"[A-Za-z]+", "A", first))


@lru_cache(maxsize=512)
def _tool_call(tool: str, args: str) -> Call:
    try:
        given = json.loads(args) if args.startswith("{") else {}
    except ValueError:
        given = {}
    names = sorted(given) if isinstance(given, dict) else []
    words = frozenset(_WORDS.findall(args))
    made = writings(tool, args)
    shape = " ".join((tool, *names))
    return Call(tool, args, shape, tool, words, is_tool=True, writes=bool(made), writings=made)
