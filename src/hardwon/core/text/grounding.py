"""Check a model's answer: its names must occur in the evidence, and it must say something.

A model words a lesson better than rules do, but it may invent things. So every flag, path, variable
and code name in its answer must occur in the evidence; ordinary words need not. The answers about
runs, goals, dreams and trials all pass these checks.
"""

from __future__ import annotations

import re
from functools import lru_cache

_FLAG = r"(?<![\w/-])-{1,2}[A-Za-z][\w-]*"
_PATH = r"(?<![\w:/.~-])~?[\w.-]*+(?:/[\w.@-]++)+"
_DOTTED = r"(?<!\w)[A-Za-z_]\w*+(?:\.\w++)+"
_CODED = rf"{_DOTTED}|\b[^\WA-Za-z]*+[A-Za-z][^\W_]*+_\w++|\b_\w+"
_CAMEL = r"\b[A-Za-z]?[a-z]+[A-Z]\w+|\b[A-Z]{2,}[a-z]\w+"
_VARIABLE = r"\b[A-Z][A-Z0-9_]{2,}(?==)"
_NAME = re.compile("|".join((_PATH, _FLAG, _CODED, _CAMEL, _VARIABLE)))
_ABBREVIATION = re.compile(r"(?:[ei]\.[ge]|and/or|either/or|n/a|\w/\w|[A-Za-z]+/[a-z]{1,2})", re.I)
_PART = re.compile(r"[A-Za-z0-9]{2,}")
QUOTED = re.compile(r"`([^`\n]{1,600})`")
_PLACEHOLDER = re.compile(  # also `YYYY-MM-DD`, `to-TARGET`, but not the variable in `CODE=`
    r"<[^<>\n]{1,80}>|\{\{?[\w .-]{1,40}\}?\}|…|\.{3}|\$\{?\w+\}?|\$\([^()]*\)"
    r"|(?:(?<![\w-])|(?<=[a-z0-9]-))[A-Z]{1,12}(?:[-/:.][A-Z]{1,12}){0,4}(?![\w=-])"
)
_QUOTED_PART = re.compile(r"[A-Za-z0-9_@%+~/.:-]+")
_SENTENCE = r"(?<=[.;!?])\s+(?=\S)"
_EDGES = ".:/-+~%@"
_WORD = re.compile(r"[^\W_]+")
# Stems of words that name no file, value, cause or step of a failure.
_EMPTY_WORDS = """
a about again all also always an and any are as at attempt attent avoid be because been before
best better bug but by can care careless case caus chang check clean clos code comprehensiv consider
correct could deep detail did diligen do does don double due each edg effort enough ensur error
every everyth extra fail failur first fix focus follow for from full further future get good had
handl hard has hast have help how i if implement important improv in inattent incorrect insufficien
into is issue it its just keep lack last learn less like logic look main make made me meticulous
mindful mistake more most much must my need never next no not now of on or other our out over pay
paid plan please practic previous problem proper qualit quick re read reason review right root rush
same scenario should slopp so solution solv some someth still such sufficien sure take task test
than that the their them then there these they thing think this thorough thought time to too tr
under understand understood up us use validat verif very vigilan was way we well were what when
where which while will with without work would writ wrong you your
"""
_ENDINGS = "e|es|s|ed|d|ing|y|ies|ied|ying|ly|ful|fully|less|ness|lessness|ion|ions|ive|ation|t|ce"
_IS_EMPTY = re.compile(rf"(?:{'|'.join(_EMPTY_WORDS.split())})(?:{_ENDINGS})?")
# Text that names something of this failure: `quoted`, a_name, a.path, aName, 12, a call().
_NAMES_SOMETHING = re.compile(r"(?<!\w)[`“\"'‘]\S|\w_\w|\w[./]\w|[a-z][A-Z]|\d|\w\(")


def ungrounded_names(text: str, evidence: str) -> tuple[str, ...]:
    """The names in the text that do not occur in the evidence, in order."""
    lower = evidence.lower()
    parts = set(_PART.findall(lower))
    ungrounded: list[str] = []
    for match in _NAME.finditer(text):
        name = match.group().strip(".")
        if name.lower() in lower or _ABBREVIATION.fullmatch(name):
            continue
        # All its parts are enough: `a.b` where `a` has a `b`.
        if name.startswith("-") or not parts.issuperset(_PART.findall(name.lower())):
            ungrounded.append(name)
    return tuple(dict.fromkeys(ungrounded))


def fold_text(text: str) -> str:
    """The text in lower case, without quotes, with single blanks."""
    return " ".join(re.sub(r"[\"'`\\]", " ", text.lower()).split())


def keep_supported(text: str, grounds: str) -> tuple[str, list[str]]:
    """The sentences whose names the grounds hold, and the names that they do not."""
    if not (lost := missing(text, grounds)):
        return text, []
    held = (sentence for sentence in _sentences(text) if not missing(sentence, grounds))
    return " ".join(held).rstrip(";, "), lost


def _sentences(text: str) -> list[str]:
    """The sentences of a text; quotes and brackets are never cut."""
    whole: list[str] = []
    for part in re.split(_SENTENCE, text):
        is_open = whole and (
            whole[-1].count("`") % 2 or whole[-1].count("(") > whole[-1].count(")")
        )
        whole[-1:] = [f"{whole[-1]} {part}"] if is_open else [*whole[-1:], part]
    return whole


def missing(text: str, grounds: str) -> list[str]:
    """The commands, options, paths and names of a text that the folded grounds do not hold.

    In backticks every word counts, elsewhere what looks like code. A placeholder stands for
    anything.
    """
    quoted = " ".join(QUOTED.findall(text)).replace("\\", " ")
    words = (_trim(part) for part in _QUOTED_PART.findall(_PLACEHOLDER.sub(" ", quoted)))
    named = (word.lower() for word in words if len(word) > 1 and _WORD.search(word))
    lost = [word for word in named if not _is_in(word, grounds)]
    plain = _PLACEHOLDER.sub(" ", QUOTED.sub(" ", text))
    return list(dict.fromkeys((*lost, *ungrounded_names(plain, grounds))))


def _trim(part: str) -> str:
    return part.strip(".:/" if part.startswith("-") else _EDGES)


def _is_in(word: str, grounds: str) -> bool:
    """Whether the grounds hold the word, as a whole option or as part of a text."""
    if word.startswith("-"):
        return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", grounds) is not None
    if word in grounds or all(part in grounds for part in re.findall(r"[\w-]{2,}", word)):
        return True
    return re.search(r"\d", word) is not None and _form(word) in _forms(grounds)


def _form(word: str) -> str:
    """A word with its numbers folded: `eur1234` has the form of `eur4490`."""
    return re.sub(r"\d+", "0", word)


@lru_cache(maxsize=4)
def _forms(grounds: str) -> frozenset[str]:
    """The forms of values that the grounds hold; that of a bare number says nothing."""
    words = (_trim(word) for word in _QUOTED_PART.findall(grounds) if re.search(r"\d", word))
    return frozenset(form for word in words if len(form := _form(word)) > 1)


def is_generic(text: str, *, telling: int = 2) -> bool:
    """Whether fewer than `telling` words of a text belong to this failure: "Be more careful"."""
    if _NAMES_SOMETHING.search(text):
        return False
    words = re.findall(r"[a-z]+", text.lower())
    return sum(len(word) > 1 and not _IS_EMPTY.fullmatch(word) for word in set(words)) < telling
