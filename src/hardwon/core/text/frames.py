"""Make text inert: no tag, role marker, or head or foot of a block remains in it.

Frames such as tags structure what a model reads. Text inside a frame must not look like a frame, in
any case, width, alphabet or spacing. Letters are compared by what they look like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Letters and brackets that look like others; full-width ones are computed.
_LOOKALIKES = str.maketrans(
    "асеорхуіјѕһԁԛԝкмнтвгАВЕКМНОРСТХУІЈЅԌαοενρτυικΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡɩʟᴇɴᴅ"
    "【】〔〕⟦⟧〚〛❲❳﹝﹞⁅⁆⟨⟩〈〉‹›《》«»❬❭⟪⟫∕⁄⧸：∶꞉ǀ∣",
    "aceopxyijshdqwkmhtbrABEKMHOPCTXYIJSGaoevptuikABEZHIKMNOPTYXigilend"
    "[][][][][][][]<><><><><><><>///:::||",
)
_WIDE = "[\uff01-\uff5e\U0001d400-\U0001d7ff\u249c-\u24e9]"
_TAG = r"<([^<>\n]{1,160})>"
_TAG_NAME = r"\s{0,3}/?\s{0,3}([a-z][\w:-]{0,60})(?:\s.{0,120})?/?\s{0,3}$"
_BRACKET = r"\[{1,2}\s{0,4}([^\[\]]{2,60})"
_ROLE = (
    r"(?m)(?:^|\\n)[>*_#\"'(-]{0,8}\s{0,2}(?:system|assistant|human)[*_\s]{0,3}(:)"
    r"|(?<!\w)(?:h\s?u\s?m\s?a\s?n|a\s?s\s?s\s?i\s?s\s?t\s?a\s?n\s?t)\s{0,2}(:)(?!\S)"
)
_HEADING = r"(?m)(?:^|\s)(#{2,6})(?=\s{0,3}(?:system|assistant|user|human|instruction|developer)\b)"
_RULE = r"(?<![-=])([-=]{3,}+)(?=\s{0,3}(?:end of|begin|end|start of)\b[\w ]{0,40}[-=]{3})"

# Tags without a meaning for agents, and words that are placeholders in commands.
_HTML_NAMES = (
    "a abbr article aside b blockquote body br button canvas code col dd details div dl dt em"
    " fieldset figure footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe img input"
    " label legend li link main map mark meta nav noscript object ol option p picture pre"
    " progress section select small span strong style sub summary sup svg table tbody td"
    " template textarea tfoot th thead time title tr u ul video path g"
)
_HTML = frozenset(_HTML_NAMES.split())
_PLACEHOLDERS_NAMES = (
    "name names path paths file files filename folder dir directory n number num id ids value"
    " values key keys url uri host port hash sha commit branch tag version date time type"
    " class module package project repo repository table column field arg args option options"
    " flag target text string str int float bool word hex ip email size count index line env"
    " var variable service container image pod namespace region bucket device interface label"
    " title"
)
_PLACEHOLDERS = frozenset(_PLACEHOLDERS_NAMES.split())
# Names of frames, without blanks and marks: first prefixes, then whole names.
_FRAMES = (
    *("endknown", "endpitfall", "endproject", "endsame", "endof", "endmet", "knownpitfall"),
    *("pitfallof", "youhavemet", "samefailure", "samekind", "thisprojectkeeps", "loopdetected"),
    *("pastreflection", "endpast", "endcontext", "endlesson", "endreflection", "endloop"),
    *("systemprompt", "systemmessage", "systemoverride", "beginlesson", "begincontext"),
    *("availabletools", "systemreminder", "endrun", "recentruns"),
    *("whatworked", "endwhat", "whatearlier"),
)
_ROLES_NAMES = (
    "end inst sys system assistant user human developer tool begin instructions instruction"
)
_ROLES = frozenset(_ROLES_NAMES.split())
_SUSPECT_NAMES = (
    "system assistant human user developer tool invoke parameter function functioncalls"
    " functionresults functionresult tooluse toolcall toolresult toolresponse hookcontext"
    " context instructions instruction prompt startofturn endofturn imstart imend"
    " systemreminder untrusted lesson lessons memory memories document data message thinking"
    " think answer result output antmlinvoke eot bos eos s inst sys endoftext"
)
_SUSPECT = frozenset(_SUSPECT_NAMES.split())


def inert(text: str) -> str:
    """The text with everything that looks like a frame replaced; all else unchanged."""
    text = _plain_width(text)
    if not re.search(r"[<\[#:]|[-=]{3}", _skeleton(text)):
        return text
    letters = list(text)
    for at, new in _edits(_skeleton(text)):
        letters[at] = new
    return "".join(letters)


def imitates_frame(text: str) -> bool:
    """Whether the text has a tag or bracket with a meaning for agents or models."""
    looks = _skeleton(_plain_width(text))
    if "<" not in looks and "[" not in looks:  # as in most texts
        return False
    tags = (
        _letters_of(match[1].split()[0]) for match in re.finditer(_TAG, looks) if match[1].strip()
    )
    brackets = (_letters_of(match[1]) for match in re.finditer(_BRACKET, looks))
    return any(tag in _SUSPECT - _TAME for tag in tags) or any(
        name.startswith(_FRAMES) for name in brackets
    )


# Names that ordinary documents also use as tags.
_TAME_NAMES = (
    "s data output result document message user answer prompt context memory memories"
    " parameter function lesson lessons tool"
)
_TAME = frozenset(_TAME_NAMES.split())


def _edits(looks: str) -> Iterator[tuple[int, str]]:
    """The characters to replace, and their replacements."""
    for match in re.finditer(_TAG, looks):
        if _is_tag(match[1], looks[max(0, match.start() - 1) : match.start()]):
            yield from ((match.start(), "("), (match.end() - 1, ")"))
    for match in re.finditer(_BRACKET, looks):  # `[HEADS]` like those of hardwon's blocks
        name, before = _letters_of(match[1]), looks[max(0, match.start() - 1) : match.start()]
        if name.startswith(_FRAMES) or (name in _ROLES and not before.isalnum()):
            yield from ((at, "(") for at in range(*match.span()) if looks[at] == "[")
            close = looks.find("]", match.end(), match.end() + 2)
            yield from ((at, ")") for at in (close,) if at >= 0)
    for pattern in (_ROLE, _HEADING, _RULE):
        for match in re.finditer(pattern, looks):
            group = next(number for number, part in enumerate(match.groups(), 1) if part)
            yield from ((at, "-" if looks[at] == ":" else " ") for at in range(*match.span(group)))


def _is_tag(inner: str, before: str) -> bool:
    if _letters_of(inner) in _SUSPECT or inner.startswith("|"):
        return True
    match = re.match(_TAG_NAME, inner)
    if match is None:
        return False
    is_closing, name = inner.lstrip().startswith("/"), match[1]
    if name in _HTML or (before.isalnum() and not is_closing):
        return False  # a page, or the parameter of a type: `List<String>`
    return is_closing or name not in _PLACEHOLDERS


def _letters_of(inner: str) -> str:
    """Only the letters, without blanks, marks and slashes."""
    return re.sub(r"[^a-z]", "", inner)


def _plain_width(text: str) -> str:
    """Full-width and mathematical letters as plain ones."""
    if text.isascii() or not re.search(_WIDE, text):
        return text
    import unicodedata  # over a megabyte; plain text never needs it

    return "".join(
        unicodedata.normalize("NFKC", letter)
        if "\uff01" <= letter <= "\uff5e"
        or letter >= "\U0001d400"
        or "\u249c" <= letter <= "\u24e9"
        else letter
        for letter in text
    )


def _skeleton(text: str) -> str:
    """What the text looks like: in lower case, of the same length."""
    looks = text if text.isascii() else text.translate(_LOOKALIKES)
    lower = looks.lower()
    if len(lower) == len(text):
        return lower
    return "".join(letter.lower()[:1] or letter for letter in looks)
