"""The fix that runs a command first, after which the same call works."""

from __future__ import annotations

from itertools import pairwise

from hardwon._cold import re
from hardwon.failures.authored import is_coined, stem, tail, writings
from hardwon.failures.fix_case import (
    Case,
    asks_service,
    blamed,
    commands_of,
    has_moved_on,
    has_run_tests,
    is_clean,
    is_gone,
    is_masked,
    is_own_check,
    is_personal,
    is_reader,
    is_red,
    line_of,
    names_in,
    typed,
    word_set,
)
from hardwon.failures.fix_written import NO_FILE, package_fix, written_fix
from hardwon.failures.programs import INTERPRETERS
from hardwon.failures.routes import routed
from hardwon.values.fix import Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hardwon.failures.shell import Command
    from hardwon.values.step import Step

_VERBS = word_set(
    "install add sync init ci pull fetch restore up start create use select login download migrate "
    "generate build compile bootstrap setup apply update upgrade tidy vendor get ensure prepare "
    "deps link switch use-context set-context configure enable set seed syncdb makemigrations "
    "submodule unshallow stage rebase checkout stash commit tag lock prune clean restart push "
    "upgrade-head migration codegen gen regen regenerate bless proto refresh config"
)
_SETUPS = word_set(  # tasks by which a project's own program prepares its other ones
    "init initdb migrate setup create generate build compile bootstrap prepare seed install login "
    "sync start configure"
)
_PROGRAMS = word_set(
    "mkdir touch chmod chown export source . ln mkfifo ssh-add nvm pyenv rbenv modprobe ulimit "
    "cp mv service sysctl locale-gen createdb pg_ctl initdb redis-server dockerd unzip tar "
    "cmake meson autoreconf autoconf automake aclocal dos2unix"
)
_FAMILIES = word_set(
    "git docker podman kubectl oc helm npm pnpm yarn bun pip pip3 cargo go apt apt-get brew conda "
    "poetry uv gh systemctl terraform tofu pulumi aws gcloud az dotnet mvn gradle bundle pdm "
    "docker-compose rustup nvm composer flutter make alembic manage.py rails rake mix npx "
    "apk yum dnf pacman gem bundle corepack"
)
_TASK_RUNNERS = word_set("make gmake just task rake npm pnpm yarn bun invoke")
_CHECKS = word_set(
    "test tests check checks spec lint verify coverage bench run watch serve start dev all help "
    "list"
)
_FILES = word_set("mkdir touch cp mv ln")
_INSTALLS = (
    r"\b(?:install\.packages|(?:nltk|spacy\.cli)\.download|Pkg\.add)\("  # installers called in code
)
_SHOWN = 200
_SHORT_NAME = 3  # a file with such a name may be any word of an error
_FEW = 2  # at most, preparations that may explain the success together


def preparation_fix(case: Case) -> Fix | None:
    """What the run did between a failure and the success of the same call, if that explains it."""
    at = blamed(case.failed, case.line)
    if at < 0 or not is_gone(case):
        return None
    old = commands_of(case.failed)[at]
    place = _same_place(case, old)
    if place < 0 or is_reader(old):
        return None
    if fix := written_fix(case, old) or package_fix(case):
        return fix
    done = list(_done(case, old, place))
    chosen = _explaining(case, done)
    return prepared(case, chosen) if chosen else None


def _same_place(case: Case, old: Command) -> int:
    """The index of the failing command in the last step, if it worked there; else -1."""
    parts = commands_of(case.last)
    for place in range(len(parts) - 1, -1, -1):
        part = parts[place]
        if part.does == old.does and part.script == old.script and _is_same_work(case, old, part):
            is_fine = not case.last.failed or (has_run_tests(case.last) and not is_red(case.last))
            if has_moved_on(case):
                return place
            is_hidden = is_masked(parts, place) and not (
                is_clean(case.last) or has_run_tests(case.last)
            )
            return place if is_fine and not is_hidden else -1
    return -1


def _is_same_work(case: Case, old: Command, new: Command) -> bool:
    """Whether two calls have the same operands; tests may be others if the error names none."""
    if new.operands == old.operands:
        return True
    is_test = "test" in old.does.split()
    return is_test and not any(tail(word) in case.line for word in old.operands)


def _done(case: Case, old: Command, place: int) -> Iterator[Command]:
    """The commands since the call last failed this way, and the new ones before it in its line."""
    for step in case.between[_last_try(case, old) :]:
        if not step.failed or line_of(step).startswith(
            "CONFLICT ("
        ):  # a conflict that was resolved
            yield from commands_of(step)
    before = {part.text for part in commands_of(case.failed)}
    yield from (part for part in commands_of(case.last)[:place] if part.text not in before)


def _last_try(case: Case, old: Command) -> int:
    """The index in `between` after the last try that failed with the same error; else 0."""
    for back in range(len(case.between) - 1, -1, -1):
        step = case.between[back]
        if step.failed and any(p.text == old.text for p in commands_of(step)):
            return back + 1 if line_of(step) == case.line else 0
    return 0


def _explaining(case: Case, done: Sequence[Command]) -> list[Command]:
    """The commands that explain the success: related to the error, or the only preparations."""
    if written := _writing_named(case, done):
        return written
    if _has_edited_named(case):
        return []
    is_git = commands_of(case.failed)[blamed(case.failed, case.line)].program == "git"
    makers = _makers(case, done, is_git=is_git)
    related = [part for part in makers if _is_related(part, case)]
    return related[:3] or _only_makers(case, makers, is_git=is_git)


def _only_makers(case: Case, makers: list[Command], *, is_git: bool) -> list[Command]:
    """The preparations if nothing else can explain the success, and if they are few."""
    if is_own_check(case) or any(_is_edit(step) for step in case.between):
        return []
    candidates = [part for part in makers if not _is_housework(part)]
    candidates = makers if not candidates and is_git and len(makers) == 1 else candidates
    return candidates if len(candidates) <= _FEW else []


def _writing_named(case: Case, done: Sequence[Command]) -> list[Command]:
    """The command whose output became the file that the error names, with its `mkdir`."""
    for place, part in enumerate(done):
        names = [tail(path) for path in part.writes if not part.script]
        if any(name in case.line for name in names) and re.search(NO_FILE, case.line):
            makes_folder = place and done[place - 1].program == "mkdir"
            return [*(done[place - 1 : place] if makes_folder else ()), part]
    return []


def _makers(case: Case, done: Sequence[Command], *, is_git: bool) -> list[Command]:
    """The commands that prepare something, the last of each; git may undo only for git."""
    failed = commands_of(case.failed)[blamed(case.failed, case.line)]
    by_key = {
        _key(part): part
        for part in done
        if (part.does, part.operands[:2]) != (failed.does, failed.operands[:2])
        or _is_own_setup(part, failed)
        if is_maker(part) or _is_named_task(part, case) or _is_own_setup(part, failed)
        if not _is_own_script(part, case)
        if is_git or not _is_undoing(part)
    }
    return list(by_key.values())


def is_maker(part: Command) -> bool:
    """Whether a command prepares something: installs, makes, fetches, starts."""
    name = tail(part.program)
    if _goes_on(part) or part.does == "git commit" or asks_service(part):
        return False
    if name in _PROGRAMS or _mends_line_ends(part) or re.search(_INSTALLS, part.text):
        return True
    return name in _VERBS or (_runs_tasks(part) and _names_making(part)) or _is_own_task(part)


def _is_own_task(part: Command) -> bool:
    """Whether it runs a task with a name that a project chose, other than tests and checks."""
    words = part.verb.split()
    task = words[-1] if part.name in _TASK_RUNNERS and words else ""
    return bool(task) and "/" not in task and not {*re.split(r"[:_-]", task), task} & _CHECKS


def _is_own_setup(part: Command, failed: Command) -> bool:
    """Whether the program that failed was first given a task that prepares: `kit init`."""
    tasks = set(part.operands) - set(failed.operands)
    is_same = (part.does, part.via) == (failed.does, failed.via)
    return is_same and not _SETUPS.isdisjoint(tasks)


def _is_named_task(part: Command, case: Case) -> bool:
    """Whether a script of the project is given a task that the error names: `./do routes`."""
    words = part.verb.split() or [stem(part.program), *part.operands[:1]]
    is_script = "/" in part.program and not is_reader(part)
    names = {word.lower() for word in words if len(word) > _SHORT_NAME} - _CHECKS
    parts = re.findall(r"[a-z]+", case.line.lower())
    joined = {first + second for first, second in pairwise(parts)}  # `devkey.sh` makes `dev.key`
    return is_script and any(re.sub(r"[^a-z]", "", name) in {*parts, *joined} for name in names)


def _runs_tasks(part: Command) -> bool:
    """Whether a command is a task runner or script, whose words say what it does."""
    name = tail(part.program)
    if name in _FAMILIES or part.does in INTERPRETERS:
        return True
    return name.endswith((".sh", ".py")) or "/" in part.program


def _names_making(part: Command) -> bool:
    words = [*part.verb.split(), *part.operands[:2], *(tail(starter) for starter in part.via)]
    words_and_parts = {piece for word in words for piece in re.split(r"[:/._-]", word)} | set(words)
    return bool(words_and_parts & _VERBS)


def _goes_on(part: Command) -> bool:
    """Whether a command only continues or aborts another one, or runs a configured build."""
    return not {"--continue", "--abort", "--skip", "--quit", "--build"}.isdisjoint(part.flags)


def _mends_line_ends(part: Command) -> bool:
    """Whether a command removes Windows carriage returns from a file."""
    edits = part.program == "sed" and any(flag.startswith("-i") for flag in part.flags)
    return edits and "\\r" in part.text


def _is_own_script(part: Command, case: Case) -> bool:
    """Whether a command runs a script that the run wrote."""
    return any(is_coined(w, case.steps) for w in (part.program, *part.operands[:1]) if "." in w)


def _is_undoing(part: Command) -> bool:
    """Whether a git command undoes changes to files."""
    return part.program == "git" and part.verb.split()[:1] in (
        *(["checkout"], ["restore"], ["reset"], ["stash"], ["clean"], ["apply"], ["revert"]),
    )


def _is_housework(part: Command) -> bool:
    """Whether a command is the agent's own bookkeeping, such as `rm` or `git commit`."""
    return part.program in {"rm", "tar", "unzip", "cp", "mv"} or part.does in {
        *("git add", "git commit", "git stash pop", "git stash push", "git stash", "git push"),
        *("git checkout", "git tag", "touch"),
    }


def _is_related(part: Command, case: Case) -> bool:
    """Whether a command and the error share a name; for files the whole name must match."""
    if part.program in _FILES:
        return any(_is_word_of(stem(word), case.line) for word in part.operands)
    words = names_in(" ".join((*part.operands, *part.env)))
    return any(
        word == name or (min(len(word), len(name)) >= 4 and (word in name or name in word))
        for word in words
        for name in case.names
    )


def _is_word_of(name: str, line: str) -> bool:
    """Whether a line has a name as a word of its own."""
    words, all_words = (" ".join(re.findall(r"\w+", text)) for text in (name, line))
    return bool(words) and f" {words} " in f" {all_words} "


def _has_edited_named(case: Case) -> bool:
    """Whether the run edited a file that the error names: that explains the success."""
    return any(
        tail(writing.path) in case.line
        for step in case.between
        if not step.failed
        for writing in writings(step.tool, step.args)
        if writing.is_edit and len(tail(writing.path)) > _SHORT_NAME
    )


def _is_edit(step: Step) -> bool:
    return not step.failed and any(
        writing.text or writing.old for writing in writings(step.tool, step.args)
    )


def prepared(case: Case, chosen: list[Command]) -> Fix | None:
    """The fix to run these commands first; None if they cannot be shown to another run."""
    if names := _configured(chosen):
        text = f"First set {' and '.join(f'`{name}`' for name in names)} with `git config`"
        key = " ".join(("preparation", *(f"git config {name}" for name in names)))
        return Fix("preparation", f"{text}, then the same call.", key, "", "")
    text = " && ".join(map(typed, chosen))
    if not _is_one_short_line(text):
        return None
    if any(_is_own(word, case) for part in chosen for word in part.operands):
        return None
    key = " ".join(("preparation", *(_key(part) for part in chosen)))
    return Fix("preparation", f"First run `{text}`, then the same call.", key, text, "")


def _is_one_short_line(text: str) -> bool:
    """Whether commands as typed are one short line without anything personal."""
    return not (is_personal(text) or len(text) > _SHOWN or "\n" in text or "`" in text)


def _configured(chosen: list[Command]) -> list[str]:
    """The names of the git settings, if all commands set one; values belong to the run."""
    names = [part.does.removeprefix("git config ") for part in chosen]
    is_all = all(part.does.startswith("git config ") for part in chosen)
    return sorted(names) if is_all else []


def _is_own(word: str, case: Case) -> bool:
    """Whether the run made a file of this name before, or wrote the name into a file."""
    before = case.steps[: case.at]
    name = stem(word)
    return is_coined(word, before) or any(
        name in writing.text
        for step in before
        if name in step.args
        for writing in writings(step.tool, step.args)
    )


def unversioned(package: str) -> str:
    """The name of a package without its version: `kit==3`, `@shop/kit@2`."""
    return str(re.sub(r"(?<=.)[=<>~!@;\[].*$", "", package))


def _key(part: Command) -> str:
    """The key of a preparation: the command without versions and flags."""
    if part.does.startswith("git config "):
        return part.does
    if re.search(_INSTALLS, part.text):
        return " ".join((part.does, *re.findall(r"\(\s*[\"']([\w.-]{1,60})", part.text)))
    is_own = part.via or "/" in part.program or "--" in part.flags  # a program of the project
    values = _values(part) if is_own else set()
    words = (unversioned(word) for word in part.operands if word not in values)
    names = [tail(word) for word in words if word and not word.startswith((".", "/"))]
    return " ".join((part.does, *sorted(names)))


def _values(part: Command) -> set[str]:
    """The words behind long flags: `demo` in `kit --tenant demo migrate`."""
    pairs = pairwise(part.words)
    return {word for flag, word in pairs if flag.startswith("--") and "=" not in flag}


def applies_preparation(key: str, step: Step) -> bool:
    """Whether a command does the preparation that the key of a fix names."""
    if key.startswith("tool "):
        return routed(step).tool == key.removeprefix("tool ")
    files = [tail(writing.path) for writing in writings(step.tool, step.args)]
    if key == "package folder":
        return "__init__.py" in files
    if key == "write the file":
        words = {tail(word) for part in commands_of(step) for word in part.operands}
        return bool(set(files) & words)
    return any(
        _key(part) == key or ((is_maker(part) or part.writes) and f" {_key(part)} " in f" {key} ")
        for part in commands_of(step)
    )
