"""The injection check: text that reads like an instruction to a model waits for a person.

A lesson says what to do with tools; it never speaks to the model about its instructions, its
prompt or its user, never closes a fence, and never names a download-and-run command.

Three kinds of signs, all checked in linear time: words in order within a short span, pairs whose
second part follows the first on the same line, and plain patterns.
"""

from __future__ import annotations

import re
from binascii import Error as NotBase64
from binascii import a2b_base64
from contextlib import suppress
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from hardwon.core.text.frames import imitates_frame
from hardwon.core.text.injection_patterns import (
    ADDRESSING,
    PAIRS,
    PATTERNS,
    PHRASES,
    Pattern,
    Phrase,
    WordPair,
)

if TYPE_CHECKING:
    Sign = TypeVar("Sign", WordPair, Pattern)

_READ = 12_000  # characters checked; lessons are far shorter


_HIDDEN = (
    "[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f\ufff9-\ufffb\U000e0100-\U000e01ef\ufe00-\ufe0e]"
    "|\ufe0f{2}"
)
_JOINED = "(?<=[a-zA-Z ])[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]+(?=[a-zA-Z ])"
_LOOKALIKES = str.maketrans(
    "асеорхуіјѕһԁԛԝкмнтвгαοενρτυικ0134578@$!ı", "aceopxyijshdqwkmhtbraoevptuikoieastbasii"
)
_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
_ROTATED = ("vafgehpg", "flfgrz", "cerivbhf", "vtaber", "sbetrg", "ehyrf")
_FIGURE = "013457@$!"  # one of them is in each match of the next pattern
_FIGURES = rf"[a-zA-Z][{_FIGURE}][a-zA-Z]|\b[01345][a-z]{{2}}"
_APART = r"[ .*_|-]\w[ .*_|-]\w[ .*_|-]"  # the same for letters set apart
_SPACED = r"(?<!\w)(?:\w[ .*_|-]){4,80}\w(?!\w)"
_ENCODED = 24  # characters
_BASE64 = rf"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{{{_ENCODED},8192}}+={{0,2}}"
_PLAIN_TOKEN = r"[a-z_][a-z_'’-]*(?:\.md)?|[:\"“'](?=\s|\w|$)"
_TOKEN = rf"https?://|[\w.+-]{{1,64}}@[\w-]{{1,64}}\.\w|{_PLAIN_TOKEN}"
_NEEDS = frozenset(word for sign in (*PAIRS, *PATTERNS) for word in sign.needs)
_BEGUN_BY: dict[str, list[Phrase]] = {}  # phrases by each word that they may begin with
for _item in PHRASES:
    for _begun in _item.words[0].split():
        _BEGUN_BY.setdefault(_begun, []).append(_item)
_MARKS = (":", '"', "“", "'", "’")  # a token other than a word or an address contains one of these
_NAMES = {":": "<:>", '"': "<quote>", "“": "<quote>", "'": "<quote>"}


@lru_cache(maxsize=1024)  # a lesson is checked whenever it is written, and changes little
def suspicion(text: str) -> str:
    """Why this text must wait for a person; "" if it looks harmless."""
    text = text[:_READ]
    if not text.isascii() and re.search(_HIDDEN, text):
        return "holds hidden or direction-changing characters"
    plain = text if text.isascii() else re.sub(_JOINED, "", text)
    if imitates_frame(plain):
        return "closes a fence or plays another role"
    if hides_in_code(plain):
        return "speaks to its reader from within a program"
    flat = " ".join(plain.split())
    keywords = _keywords_in(flat)  # the same words as in `plain`: only blanks differ
    if reason := _read(plain, keywords) or (flat != plain and _sign(flat, keywords)):
        return reason
    reasons = (_read(form, _keywords_in(form)) for form in _disguises(plain, flat))
    hidden = "hides letters with invisible characters" if plain != text else ""
    return next(filter(None, reasons), hidden)


def _read(form: str, keywords: frozenset[str]) -> str:
    """The reason found in phrases, signs or wording; "" if none."""
    if reason := _phrase(form.lower()) or _sign(form, keywords):
        return reason
    is_spoken = speaks_to_model(form)
    return "speaks to a model about itself rather than about the work" if is_spoken else ""


def _sign(form: str, keywords: frozenset[str]) -> str:
    """The reason found in a pair on one line, or in a plain pattern; "" if none."""
    if not keywords:
        return ""
    pairs = [pair for pair in PAIRS if not keywords.isdisjoint(pair.needs)]
    for line in form.splitlines() if pairs else ():
        for pair in pairs:
            start = re.search(f"(?i){pair.start}", line)
            if start and re.compile(f"(?i){pair.end}").search(line, start.end()):
                return pair.reason
    for pattern in PATTERNS:
        if not keywords.isdisjoint(pattern.needs) and re.search(f"(?i){pattern.sign}", form):
            return pattern.reason
    return ""


def _phrase(lower: str) -> str:
    """The reason of the first phrase of the list that the text holds; "" if none."""
    has_address = "@" in lower or "://" in lower
    words: list[str] = re.findall(_TOKEN if has_address else _PLAIN_TOKEN, lower)
    if "@" in lower or "http" in lower:
        words = ["<url>" if word.startswith("http") else word for word in words]
        words = ["<email>" if "@" in word else word for word in words]
    if any(map(lower.__contains__, _MARKS)):
        words = [_NAMES.get(word, word.replace("’", "'")) for word in words]
    found = [
        phrase
        for at, word in enumerate(words)
        for phrase in _BEGUN_BY.get(word, ())
        if _follows(words, at, phrase)
    ]
    return min(found, key=PHRASES.index).reason if found else ""


@cache
def _choice(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _follows(words: list[str], start: int, phrase: Phrase) -> bool:
    """Whether the other words of the phrase follow in order, within its span."""
    at, end = start, start + phrase.span
    for alternatives in phrase.words[1:]:
        choice = _choice(alternatives)
        at = next((i for i in range(at + 1, min(end, len(words))) if words[i] in choice), -1)
        if at < 0:
            return False
    return True


def _keywords_in(text: str) -> frozenset[str]:
    """The required words in the text; all of them beyond ASCII, where letters have more forms."""
    if not text.isascii():
        return _NEEDS
    return frozenset(filter(text.lower().__contains__, _NEEDS))


def _disguises(text: str, flat: str) -> list[str]:
    """The text without disguises such as look-alike letters; `flat` is it on one line."""
    forms = []
    if not text.isascii() or (any(map(text.__contains__, _FIGURE)) and re.search(_FIGURES, text)):
        import unicodedata  # over a megabyte; plain text never needs it

        forms.append(unicodedata.normalize("NFKC", flat).lower().translate(_LOOKALIKES))
    if re.search(_APART, flat) and re.search(_SPACED, flat):
        forms.append(re.sub(_SPACED, lambda match: re.sub(r"[ .*_|-]", "", match[0]), flat))
    lower = flat.lower()
    if any(map(lower.__contains__, _ROTATED)):
        forms.append(lower.translate(_ROT13))
    long = " ".join([word for word in flat.split(" ") if len(word) >= _ENCODED])
    for encoded in re.findall(_BASE64, long):
        with suppress(NotBase64, UnicodeDecodeError):
            plain = a2b_base64(encoded + "=" * (-len(encoded) % 4)).decode("utf-8")
            if plain.isprintable() and " " in plain:
                forms.append(plain)
    return forms


# Words that lessons hardly ever have.
_STRONG = (
    "above text|act as|acting as|amoral|answer as|answer me|as a language|ask me|asks me|"
    "bomb|break character|breaking character|can not refuse|cannot refuse|cocaine|crimes|"
    "dark humor|debate|developer mode|dialogue between|do anything|erotic|essay|evil|"
    "fetish|first prompt is|first question|first request|from now on|god mode|graphically|"
    "gross|hacker|hidden prompt|i ask|i say|i want you|i was instructed|i'm sorry|"
    "ignore all|immoral|in character|initial instructions|initial prompt|instruction set|"
    "instructions above|jailbreak|jailbroken|legality|maintenance mode|meth|morality|"
    "murder|my prompt|my prompts|my question|my questions|never refuse|no matter how|"
    "no restrictions|no rules|not supposed to tell|nsfw|persona|personify|play the role|"
    "poem|pretend|pretending|previous instructions|profanity|reply as|respond as|roleplay|"
    "roleplaying|sarcasm|secret instructions|sexual|short story|speak as|stay in character|"
    "swear|swearing|system instruction|system override|systemprompt|tell me|text above|"
    "the role of|told me|two entities|uncensored|unethical|unfiltered|user message|villain|"
    "want you to|were told|were you told|when i ask|when i say|wikipedia article|"
    "without restrictions|word for word|write a story|you act|you are a|you are an|"
    "you are going to|you are now|you can do|you have no|you must always|you must never|"
    "you play|you were given|you were told|you will act|you will always|you will be|"
    "you will never|you will not|you're a|you're going to|your answer|your answers|"
    "your character|your creator|your developers|your guidelines|your initial|"
    "your instructions|your limitations|your name is|your personality|your programming|"
    "your prompt|your response|your responses|your restrictions|your rules|your starting|"
    "your system|your training"
)

# Words of which lessons about programs that use a model have one or two.
_MEDIUM = (
    "ai|ai assistant|ai model|an ai|begin your|chatbot|chatgpt|crime|criminal|dan|"
    "debug mode|detailed|disclaimer|disclaimers|drugs|emotions|ethical|ethics|explicit|"
    "fictional|gpt|harmful|human|humans|hypothetical|i cannot|i will|illegal|imagine|"
    "language model|llm|moral|morals|no matter what|offensive|openai|opinions|"
    "regardless of|respond only|rules apply|scenario|simulate|simulating|start your|"
    "system prompt|the conversation|the prompt|this conversation|this prompt|weapon|"
    "weapons|you are the|you do not have|you have been|your"
)

# Words that any text may have.
_WEAK = (
    "act|acts|advice|always|answer|answers|anything|assistant|believe|character|content|"
    "conversation|everything|feel|game|give|guidelines|i|information|instructions|internet|"
    "knowledge|language|me|mode|my|never|normal|opinion|output|personality|player|policies|"
    "prompt|prompts|question|questions|remember|replies|reply|request|requests|respond|"
    "responds|response|responses|restrictions|rules|say|saying|sentence|speak|stay|story|"
    "talk|tell|think|topic|topics|user|warnings|words|world|write|you|yourself"
)

# Requests for what a model was told before.
_TOLD = (
    r"\b(?:system prompt|systemprompt|system message|initial (?:prompt|instructions|configuration)"
    r"|instructions you|you were (?:given|told|started|instructed|asked)|(?:the )?text you"
    r"|your (?:first|initial|starting|original|system|hidden) (?:message|prompts?|instructions?"
    r"|text|rules|configuration|words)|my instructions"
    r"|instructions (?:begin|start|say)|stands above|this (?:entire )?conversation|word for word"
    r"|above text|text above|i was instructed|told before|you not supposed|not supposed to tell"
    r"|initialization string)\b"
)
_TOLD_SIGNS = (  # every match contains one of these; they are faster to search for
    *("prompt", "system", "initial", "instruct", "you", "text", "stands above", "conversation"),
    *("word for word", "told before", "not supposed to"),
)
_ASKING = (
    r"\b(?:repeat|show|output|print|reveal|complete|continue|translate|encode|see|display|tell"
    r"|recite|share|give|what|console|replace|beginning)\b"
)
# Lines of code, and the comments and strings in them that may address a reader.
_CODE_LINE = (
    r"[ \t]*(?:def |class |import |from \w|return\b|if[ (]|for[ (]|while[ (]|elif |else\b"
    r"|try\b|except\b|const |let |var |function |public |private |static |#include|func |fn "
    r"|package |using |print\(|console\.|\w+ ?= ?\S|\w+\(.*\)|@\w|[{}\])];?\s*$).*|.*[;{]\s*$"
)
_COMMENT_OR_STRING = (
    r"#(?!include|!)\s*([^\n]{12,400})|//\s*([^\n]{12,400})|/\*([^*]{12,600})|<!--([^>]{12,600})"
    r"|--\s([^\n]{12,400})|\"([^\"\n]{16,400})\"|'([^'\n]{16,400})'|\"\"\"([^\"]{12,600})"
)
_LINES = 3  # of code make a text a program
_SENTENCE_WORDS = 4  # a shorter comment is no sentence
_HELD, _LOOSE = 5.0, 7.0  # score to hold a text back: with strong words, and without
_WEIGHTS = tuple(
    (frozenset(words.split("|")), weight)
    for words, weight in ((_STRONG, 2.0), (_MEDIUM, 1.0), (_WEAK, 0.5))
)
_LONGEST = 4  # words of a phrase
_LETTERS = "abcdefghijklmnopqrstuvwxyz'"
_BETWEEN_WORDS = {code: " " for code in range(128) if chr(code) not in _LETTERS}
_FIRST = frozenset(phrase.split()[0] for phrases, _ in _WEIGHTS for phrase in phrases)


def speaks_to_model(text: str) -> bool:
    """Whether the text reads like instructions to a model."""
    lower = text.lower()
    if lower.isascii():  # faster, and as most texts are
        words = lower.translate(_BETWEEN_WORDS).split()
    else:
        words = re.findall(rf"[{_LETTERS}]+", lower.replace("’", "'"))
    phrases = {
        " ".join(words[at : at + size])
        for at, word in enumerate(words)
        if word in _FIRST
        for size in range(1, _LONGEST + 1)
    }
    strong, medium, weak = (len(listed & phrases) * weight for listed, weight in _WEIGHTS)
    total = strong + medium + weak
    if total >= _LOOSE or (total >= _HELD and (strong or medium >= 2)):
        return True
    flat = " ".join(words)
    return (
        any(map(flat.__contains__, _TOLD_SIGNS))
        and bool(re.search(_TOLD, flat))
        and bool(re.search(_ASKING, flat))
    )


def hides_in_code(text: str) -> bool:
    """Whether comments or strings in code address a reader."""
    code_lines = (line for line in text.split("\n") if re.match(_CODE_LINE, line))
    if len(list(islice(code_lines, _LINES))) < _LINES:
        return False
    sentences = (next(filter(None, groups), "") for groups in re.findall(_COMMENT_OR_STRING, text))
    spoken = (re.findall(r"(?<![\w.])[a-z']+(?!\w)", sentence.lower()) for sentence in sentences)
    return any(
        len(words) >= _SENTENCE_WORDS and not ADDRESSING.isdisjoint(words) for words in spoken
    )
