"""Find passwords where programs take them: options, pipes, calls, columns, lines of a log-in.

What stands there has no name of its own, or one that says little. So each place states how much a
word must look like a password before it counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hardwon.core.text.randomness import (
    DIGEST_OR_ID,
    is_base64_key,
    is_chosen,
    is_jagged,
    is_made_up,
    is_mixed,
    is_password,
    is_scrambled,
    is_shuffled,
    is_strong,
)

_MARK = "[REDACTED:password]"
# The words of a placeholder are no place for a password: redacting twice changes nothing more.
_PLACEHOLDER = r"\[REDACTED:\w{1,20}\]"
_IN_PLACEHOLDER = r"REDACTED:\w{0,20}$"


class Place(NamedTuple):
    """Where a password may stand; only the group `value` is replaced, if it fits."""

    keywords: tuple[str, ...]  # in lower case; a text without any of them has no such place
    pattern: str
    fits: Callable[[str], bool]
    before: str = ""  # what must stand before it in the same line, not further away than `_NEAR`

    def may_stand_in(self, lower: str) -> bool:
        """Whether a text, in lower case, has one of its keywords."""
        return any(map(lower.__contains__, self.keywords))


def _is_key(value: str) -> bool:
    return is_strong(value) or (len(value) >= 16 and is_scrambled(value))


def _is_other_key(value: str) -> bool:
    return _is_key(value) and not re.fullmatch(DIGEST_OR_ID, value)


def _is_certain(value: str) -> bool:
    """Whether a word before a host is a password, not a part of an address."""
    if re.search(r"%(?:[2-7][\da-fA-F]|[C-F][\dA-F]%)", value):
        return False
    return is_chosen(value) or is_jagged(value) or is_made_up(value)


def _is_second(value: str) -> bool:
    """Whether the second of two texts in a call may be a password: no name of a program is so."""
    is_named = re.fullmatch(r"[\da-f]+|[A-Z_\d-]+|[a-z]+\d\d?|[\w.-]*\d[a-z_]+", value)
    return value[0].isalpha() and is_made_up(value) and not is_named


def _is_of_cases(value: str) -> bool:
    has_all = all(re.search(chars, value) for chars in ("[A-Z]", "[a-z]", r"\d{3}|[!#$%^&*@?]"))
    return has_all and is_made_up(value)


_WORD = r"[^\s\"'`|;,]"
_VALUE = rf"(?P<value>{_WORD}{{6,200}}+)"
_NAME = r"[\w.@\\/$*-]{1,60}"
_LITERAL = r"(?P<quote>[\"'`])(?P<value>[^\s\"'`]{6,200}+)(?P=quote)"
_SINK = (  # what reads a password from its standard input
    r"(?=[^\n]{0,120}(?:\s-S\b|stdin|passw|login|kinit|luks|crypt|gpg|auth|vnc|ssh|mount))"
)
# Calls that take a user and a password; and those that take a key.
_LOG_IN = (
    r"(?:login|log_?in|auth|connect|connection|credentials?|securestring|mysqli|jwt|passw\w{0,10})"
)
_CRYPT = r"(?:cipher|hmac|fernet|aes|encrypt|decrypt)"
_SIGNING = r"(?:sign|secret|token|key)"
_IN_CALL = r"[\w.]{0,30}\s{0,2}[=(: ]{1,2}\s{0,2}\(?(?:[^\n;]{0,120}[(,\s])?b?$"
_PLACES = (
    # `-P …`, `-w …`, `-pw …`, `-xp …`, `-passwd /Users/ann …`
    Place(
        (" -p", " -w", " -a", " -x", " -n", " -k"),
        rf"(?<=\s)-(?:[pPwWAXNK]|pw|[a-z]p)[ =][\"']?{_VALUE}",
        is_made_up,
    ),
    Place(
        (" -p", " -hp"),
        r"(?<=\s)-h?p(?:(?P<quote>[\"'])(?P<value>[^\s\"']{6,200}+)(?P=quote))",
        is_mixed,
    ),
    Place((" -p", " -hp"), rf"(?<=\s)-h?p(?P<value>{_WORD}{{8,200}}+)", is_made_up),
    Place(
        ("pass", "pw"),
        rf"(?i:(?<=\s)-\w{{0,20}}(?:passw?d?|pw)[ ](?:{_NAME}[ ])?[\"']?){_VALUE}",
        is_made_up,
    ),
    # `/p:…`, `/rp …`
    Place(
        (" /p", " /rp", " /d", " /pass"),
        rf"(?i:(?<=\s)/(?:r?p|d|pass\w{{0,4}})[: ]){_VALUE}",
        is_made_up,
    ),
    # `--auth ann:…`, `-u ann:…`, `-U corp/ann%…`
    Place(
        (" -",),
        r"(?<=\s)(?:-[auUn]|--(?:auth|user|creds?|login|proxy-user)\w{0,12})[ =][\"']?"
        rf"[\w.@\\/-]{{1,60}}[:%,]{_VALUE}",
        is_made_up,
    ),
    # `… <<< '…'`
    Place(
        ("<<<",),
        rf"(?i:(?:passw|login|auth|vnc|crypt)[^\n]{{0,60}}<<<[ ]?[\"']?){_VALUE}",
        is_mixed,
    ),
    # `user add ann …`, `LOGIN ann …`, `masterauth …`
    Place(
        ("user", "login", "auth", "identify", "register", "passw", "community"),
        r"(?i:\b(?:\w{0,20}user[ \t]{1,4}[^\s\"'`|;,]{1,100}|\w{0,20}community|login|\w{0,20}auth"
        r"|identify|register|\w{0,20}passwo?r?d)[ \t]{1,4})"
        r"(?P<words>(?:(?!(?i:id|name|is)\b)[^\s\"'`|;,]{1,200}(?:[ \t]{1,4}|(?=\s|\Z))){1,4})",
        is_made_up,
    ),
    # `login(page, 'ann', '…')`, `auth = ('ann', '…')`
    Place(
        ("log", "auth", "connect", "cred", "secure", "mysqli", "pass", "jwt"),
        _LITERAL,
        is_made_up,
        rf"(?i:{_LOG_IN}{_IN_CALL})",
    ),
    Place(
        ("cipher", "hmac", "fernet", "aes", "crypt"),
        _LITERAL,
        _is_key,
        rf"(?i:{_CRYPT}{_IN_CALL})",
    ),
    Place(
        ("sign", "secret", "token", "key"),
        _LITERAL,
        _is_other_key,
        rf"(?i:{_SIGNING}{_IN_CALL})",
    ),
    Place(
        ("pass", "pwd"),
        _LITERAL,
        is_made_up,
        r"(?i:(?<!REDACTED:)(?:pass|pwd)\w{0,10}[\"')\]]{0,4}[^\n\"'`]{0,30}[( ,])$",
    ),
    Place(("passw",), rf"{_LITERAL}(?i:[^\n\"'`]{{1,30}}passw)", is_made_up),
    Place(
        ('"', "'"),
        rf"(?<=[(=,\s])[\"'][\w.@=,-]{{1,60}}[\"'],[ ]?b?{_LITERAL}(?=\s{{0,2}}[),;.\s]|\Z)",
        _is_second,
        r"[(={][^\n]{0,160}$",
    ),
    Place((".tochararray",), rf"{_LITERAL}\.toCharArray", is_made_up),
    Place(
        ("md5", "sha"),
        r"\b(?:MD5|SHA\d{0,3})[ ](?P<value>[\w!#$%^&*?@+/=.-]{8,100})(?=\s|\Z)",
        _is_other_key,
    ),
    # `the pw of the box is …`
    Place(
        ("pw", "pass", "pwd"),
        r"(?i:(?:\b|_)(?<!REDACTED:)(?:(?:pw|pwd|pass(?:word|code|phrase))\b[^\n:=]{0,40}?"
        r"(?:[ ]is|[ ][-=]?>|[ ]→)?[ ]"
        rf"|pass\b[^\n:=]{{0,40}}?(?:[ ]is|:|[ ][-=]?>|[ ]→)[ ])){_VALUE}(?=[\s.,;)]|\Z)",
        is_made_up,
    ),
    # `password 0 …`, `rootpw --plaintext …`, `key 1 md5 …`
    Place(
        ("passw", "pwd", "rootpw", "phrase", "kennwort", "wachtwoord"),
        r"(?i:(?:passw(?:or)?[dt]|pwd|pw|passphrase|kennwort|wachtwoord)\d?\b[\"':=]{0,2}"
        r"[ \t]{1,4})"
        r"(?P<words>(?:[^\s\"'`|;,]{1,200}(?:[ \t]{1,4}|(?=\s|\Z))){1,4})",
        is_made_up,
    ),
    Place(
        ("key", "secret", "token", "community", "credential", "cookie"),
        r"(?i:\b(?:key|secret|token|community|credential|(?:\w{0,20}[_-])?(?:set)?cookie)"
        r"[ \t]{1,4})"
        r"(?P<words>(?:[^\s\"'`|;,]{1,200}(?:[ \t]{1,4}|(?=\s|\Z))){1,4})",
        _is_other_key,
    ),
    Place(
        ("keys", "tokens", "secrets"),
        r"(?i:(?:keys|tokens|secrets)[\"']?[ ]?[=:][ ]?[\"']?)(?P<words>[^\s\"']{16,600})",
        _is_other_key,
    ),
    Place(("secret", "key"), rf"(?i:\b(?:secret|key)[ ]\d{{1,2}}[ ]){_VALUE}(?=\s|\Z)", is_made_up),
    # `X-Api-Key: …`, `connect.sid=…`
    Place(
        ("key", "token", "auth", "secret", "signature"),
        r"(?i:-(?:key|token|auth|secret|signature|api)[\w-]{0,20}[\"']?:[ ][\"']?)"
        rf"{_VALUE}",
        _is_key,
    ),
    Place(
        ("sess", "sid"),
        rf"(?i:(?:sess|sid)\w{{0,10}}[=:][ ]?[\"']?){_VALUE}",
        _is_key,
    ),
    # `name:…@host`, `name/…@host`, `ann@mail.example:…`
    Place(
        ("@",),
        r"(?:(?<=[\s=:/\"'])|\A|(?<=\n))[\w.+-]{1,40}:(?P<value>[^\s/\"':]{8,100})@(?=[a-zA-Z]|\d{1,3}(?:\.\d{1,3}){3})",
        _is_certain,
    ),
    Place(("@",), rf"[\w.-]@[\w.-]{{3,60}}:{_VALUE}(?=\s|\Z)", _is_certain),
    # `log-in attempt ann:…`, `ann/…@db`, any option with a key
    Place(
        ("login", "auth", "cred", "account", "user", "passw"),
        r"(?i:(?:\b(?:login|\w{0,4}auth\w{0,10}|creds?|credentials|accounts?|users?)|\w{0,20}passwo?r?d"
        r"\w{0,10})\b[^\n:]{0,30}[ (=](?:static:)?"
        rf"[\w.@-]{{1,40}}:){_VALUE}",
        is_made_up,
    ),
    Place(("@",), r"(?<=[\s\"'])\w{1,30}/(?P<value>[^\s/\"'@:]{8,100})@(?=[a-zA-Z])", _is_of_cases),
    Place((" -",), r"(?<=\s)-[a-zA-Z][ ](?P<value>[\w+/=.~-]{20,200})(?=\s|\Z)", _is_other_key),
    Place(
        ("secret",),
        rf"(?i:\bsecret[ _-]?id[\"']?[ \t]{{0,20}}[:=]?[ \t\"']{{0,20}}){_VALUE}",
        is_strong,
    ),
    # the remainder of one that is redacted
    Place(
        ("]:", "]."),
        r"\[REDACTED:\w{1,20}\][\w:.~+/=-]{0,40}?[:.](?P<value>[\w+/=-]{16,600}+)",
        is_strong,
    ),
    # codes of a log-in
    Place(("code=",), r"[?&\s]code=(?P<value>[\w.~+/=-]{16,800})", is_strong),
    # `the log-in is ann / …`
    Place(
        ("login", "account", "cred", "zugang", "user", "access", "admin", "wifi", "wlan"),
        r"(?i:\b(?:wifi|wlan|login|account|creds?|credentials?|zugang|user|access|admin)\b"
        rf"[^\n]{{0,80}}?\S[ ]/[ ]){_VALUE}",
        is_made_up,
    ),
)
# Places where plain words count, too, or that lie in several lines.
_WHOLE = (
    # `echo … | sudo -S`, also of several lines
    Place(
        ("|",),
        r"\b(?:echo|printf)[ ](?:-\w{1,3} )?(?:[\"'](?P<words>[^\"'|]{6,200}+)[\"']"
        r"|(?P<bare>[^\s\"'\\|]{6,200}+))[^\n|]{0,200}\|" + _SINK,
        is_mixed,
    ),
    Place(
        ("chpasswd",),
        r"(?m:^[ \t-]{0,12}[\w.-]{1,32}:(?P<value>[^\s\"'`:]{6,100})[ \t]{0,4}\r?$)",
        is_made_up,
    ),
    Place(
        ("phrase",),
        r"(?i:pass[ _-]?phrase[\"']?[ ]{0,2}[:=][ ]{0,2})"
        r"(?P<value>[a-z]{3,12}(?: [a-z]{3,12}){3,20})(?=[ \t]*(?:\n|\Z))",
        lambda words: (
            not re.search(r"\b(?:the|for|and|not|must|your|this|file|from|with)\b", words)
        ),
    ),
    Place(("-> ",), rf"\[REDACTED:\w{{1,20}}\][\"']?[ ]->[ ]{_LITERAL}", bool),
    Place(
        ('"kty"',),
        r"\"(?:d|k|p|q|dp|dq|qi)\"\s{0,4}:\s{0,4}\"(?P<value>[\w-]{16,800})\"",
        is_strong,
    ),
    Place(
        ("seed", "recovery", "backup", "mnemonic"),
        r"(?i:\b(?:seed|recovery|backup|mnemonic)(?:[ _-](?:phrase|key|code|words?))?)[\"']?"
        r"(?:\s{0,3}[:=]\s{0,3}[\"']?(?P<value>[a-z]{3,8}(?:[ -][a-z]{3,8}){4,24}"
        r"(?=[\"'\s]{0,9}(?:\n|\Z)))"
        r"|\s{0,3}[:=]?\s{1,3}[\"']?(?P<bare>[\w+/=-]{12,200}))",
        lambda value: is_strong(value) or bool(re.fullmatch("[a-z]+(?:[ -][a-z]+)+", value)),
    ),
    # `{PLAIN}…` of a table of users
    Place(
        ("}",),
        r"\{(?:PLAIN\w{0,4}|CLEAR\w{0,4}|CRYPT|S?SHA\d{0,3}|S?MD5)\}(?P<value>[^\s:]{6,200}+)",
        bool,
    ),
)
_NEAR = 200  # characters
_LONG_WORD = r"(?<![A-Za-z0-9])[A-Za-z0-9]{20}"
_HEAD_CELL = r"(?:pass(?:word|wort|code|phrase)|passwd|pwd|secret|contraseña|senha|mot de passe)"
_HEAD = rf"(?:^|[|\t;,])[ \"]{{0,20}}{_HEAD_CELL}[ \"]{{0,20}}(?:[|\t;,]|\r?\n)"
_AUTH = (  # words of a line about a log-in, where a word that no name looks like is a password
    r"(?i:passw|pwd|\bpw\b|log[ -]?in|cred|psk|secret|auth|account|ssid|wi-?fi|\bvpn"
    r"|ssh|sudo|\bftp|smtp|imap|ldap|\buser|admin|\broot\b|connect|token|\bkey|encrypt|decrypt|\bzip\b)"
)
_ODD_WORD = (
    r"(?<![^\s\"'`=:(,>@%])(?=[^\s\d]{0,60}\d)"
    r"(?P<value>[^\s\"'`|;,()<>=/:\\]{8,64}+)(?![^\s\"'`,;).<@:|\\])"
)
_MARKED = r"[a-zA-Z\d][!#$^&*?@%]"  # a quick look for words that are passwords by their form
_WORDS = r"(?<![^\s\"'`=:(,>])(?P<value>[^\s\"'`|;,:=]{8,64}+)(?![^\s\"'`,;).<])"
_SHUFFLED = r"(?<![\w+/=.-])(?P<value>[A-Za-z0-9]{28,63})(?![\w+/=-])"
_SET_SHUFFLED = r"(?<=[\w\"']=)(?P<value>[A-Za-z0-9]{28,63})(?![\w+/=-])"
_SOME_KEY = r"[A-Za-z0-9+/]{43}="
# 32 or 64 bytes as base64; what is written so after a colon is a digest
_KEY = (
    r"(?<![\w+/-])(?<!\bh1:)(?<!sha256[=:])(?<!sha512[=:])(?<!igest[=:])(?<!md5[=:])"
    r"(?P<value>[A-Za-z0-9+/]{43}=|[A-Za-z0-9+/]{86}==)(?![\w=])"
)


# A word that mixes letters with digits or marks, like a password.
MIXED_WORD = r"[a-zA-Z][^\s\d!#%^*]{0,60}[\d!#%^*]|[\d!#%^*][^\sa-zA-Z]{0,60}[a-zA-Z]"
MARKS = r"[\d!#%^*]"
WORDS = r"\S{6,}+"  # a password has six characters
PLAIN = "|".join(re.escape(word) for place in _WHOLE for word in place.keywords)  # in lower case


def without_taken(text: str) -> str:
    """The text without what stands where programs take a password and looks like one."""
    lower = text.lower()
    places = [place for place in _PLACES if place.may_stand_in(lower)]
    if places and re.search(MIXED_WORD, text):
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if re.search(MIXED_WORD, line):
                lines[number] = _without_places(line, places)
        text = "\n".join(lines)
        lower = text.lower()
    for place in _WHOLE:
        if place.may_stand_in(lower):
            text = _without_place(text, place)
    return _without_columns(text) if re.search(_HEAD, lower) else text


def _without_places(line: str, places: Sequence[Place]) -> str:
    lower = line.lower()
    for place in places:
        if place.may_stand_in(lower):
            line = _without_place(line, place)
    return line


def _without_place(text: str, place: Place) -> str:
    def change(found: re.Match[str]) -> str:
        before = re.sub(_PLACEHOLDER, "", text[max(0, found.start() - _NEAR) : found.start()])
        is_there = not place.before or re.search(place.before, before)
        return _without(found, place.fits) if is_there else found[0]

    return re.sub(place.pattern, change, text)


def _is_odd(value: str) -> bool:
    """Whether no name is so: two words, a mark and a number, or letters and digits at random."""
    if re.fullmatch(r"[a-zA-Z]{3,}[_-][a-zA-Z]{3,}[!#@*&]\d{2,6}", value):
        return True
    is_long = len(value) >= 12 and len(re.findall(r"\d", value)) >= 2
    return is_long and is_scrambled(value) and not re.search(r"[_#$]", value)


def without_random(text: str) -> str:
    """The text without words that are passwords or keys by nothing but their form."""
    text = re.sub(_ODD_WORD, _without_odd, text)
    if re.search(_MARKED, text):
        text = re.sub(_WORDS, lambda found: _without(found, is_password), text)
    for pattern in (_SHUFFLED, _SET_SHUFFLED) if re.search(_LONG_WORD, text) else ():
        text = re.sub(pattern, lambda found: _without(found, is_shuffled), text)
    is_long = "=" in text and re.search(_SOME_KEY, text)
    return re.sub(_KEY, lambda found: _without(found, is_base64_key), text) if is_long else text


def _without_odd(found: re.Match[str]) -> str:
    """The placeholder for an odd word in a line about a log-in; else the word."""
    if not _is_odd(found["value"].rstrip(".:,;)")):
        return found[0]
    text, (start, end) = found.string, found.span()
    before = "".join(text[max(0, start - 300) : start].splitlines(keepends=True)[-2:])
    after = text[end : end + 300].partition("\n")[0]
    around = re.sub(_PLACEHOLDER, "", f"{before} {after}")
    return _without(found, _is_odd) if re.search(_AUTH, around) else found[0]


def _without_columns(text: str) -> str:
    """The text without what stands below the head of a column of passwords."""
    lines, below = text.split("\n"), None
    for number, line in enumerate(lines):
        separator = next((mark for mark in "|\t;," if mark in line), None)
        if re.fullmatch(r"[\s|+:=-]*", line):  # a rule below the head
            continue
        if separator is None:
            below = None
            continue
        cells = line.split(separator)
        found = [
            at
            for at, cell in enumerate(cells)
            if re.fullmatch(_HEAD_CELL, cell.strip(' "\r').lower())
        ]
        if found and len(cells) > 1:
            below = (separator, len(cells), found[0])
        elif below and below[:2] == (separator, len(cells)):
            value = cells[below[2]].strip(' "\r')
            if is_mixed(value) and "[REDACTED" not in value:
                cells[below[2]] = cells[below[2]].replace(value, _MARK)
                lines[number] = separator.join(cells)
    return "\n".join(lines)


def _without(found: re.Match[str], fits: Callable[[str], bool]) -> str:
    """The place without the password: the value, or those of several words that fit."""
    groups = found.groupdict()
    group = next(name for name in ("value", "bare", "words") if groups.get(name) is not None)
    start = found.start(group) - found.start()
    one = r"[^\s>,;][^\s,;]*" if group == "words" else r"(?s).+"
    whole, begun = found[0], found.string[max(0, found.start() - 30) : found.start()]
    inner = re.sub(f"^{_PLACEHOLDER}", "", found[0][:start])
    if re.search(_IN_PLACEHOLDER, begun) or "REDACTED" in inner:
        return whole
    for part in reversed([*re.finditer(one, found[group])]):
        value = part[0].rstrip(".:,;)")
        at = start + part.start()
        is_inside = re.search(_IN_PLACEHOLDER, whole[max(0, at - 30) : at])
        if "[REDACTED" not in value and not is_inside and fits(value):
            whole = whole[:at] + _MARK + whole[at + len(value) :]
    return whole
