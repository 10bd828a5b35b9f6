"""Remove secrets from texts: each becomes a typed placeholder such as `[REDACTED:github]`.

A secret is recognized by its own form (`token_kinds`), by what comes before it (headers, URLs,
options), by the place where a program takes it (`taken`) or by the name it is set to
(`named_values`). Redacting twice changes nothing more.
"""

from __future__ import annotations

import re
from binascii import Error as NotBase64
from binascii import a2b_base64

from hardwon.core.text.named_values import without_named
from hardwon.core.text.randomness import (
    is_chosen,
    is_jumbled,
    is_mixed,
    is_random,
    is_strong,
)
from hardwon.core.text.taken import MARKS, MIXED_WORD, PLAIN, WORDS, without_random, without_taken
from hardwon.core.text.token_kinds import (
    ANY_LONG,
    COINED,
    KINDS,
    LONG,
    VERY_LONG,
    SecretKind,
)

# What comes before a secret; the first group is kept.
_QUOTE = r"\\{0,3}[\"'`]?"
_HEADERS = (
    SecretKind(
        "authorization",
        ("authorization",),
        rf"(?i:((?:proxy-)?authorization{_QUOTE}\s{{0,4}}[:=,]\s{{0,4}}{_QUOTE}"
        r"(?:(?:bearer|basic|token|digest|apikey|api-?token|key|negotiate|aws4-hmac-sha256)\s{1,4})?)"
        r"(?!(?:bearer|basic|token)\b|[\[<{$(%]|\w{1,20} \[redacted)([^\s\"'`\\,;]{6,4096}+(?:,?"
        r" ?\w{1,20}=[^\s\"']{1,512}){0,8}))",
    ),
    SecretKind(
        "bearer", ("bearer ",), r"(?i:(\bbearer )(?=[a-z._~+/-]{0,200}\d)([\w.~+/=-]{12,4096}+))"
    ),
    SecretKind(
        "cookie",
        ("cookie",),
        rf"(?i:(\b(?:set-)?cookie{_QUOTE}: {{0,4}}{_QUOTE})([\w.!#$%&*+^"
        rf"|~-]{{1,80}}=[^\r\n\"'`]{{4,8192}}+))",
    ),
    SecretKind(
        "userinfo",
        ("://",),
        r"(\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://)([^\s/'\"<>@:`\[\]]{0,128}+:(?!//)[^\s/'\"<>`]{1,256}"
        r"@)",
    ),
    SecretKind(
        "password",
        ("password ",),
        r"(?i:(\blogin\s{1,4}[^\s]{1,100}\s{1,4}password\s{1,4}))([^\s]{3,200})",
    ),
    SecretKind(
        "password",
        (" /u:", " /user:"),
        r"(?i:(\s/u(?:ser)?:[^\s]{1,100}\s{1,4}))([^\s/-][^\s]{3,200})",
    ),
    SecretKind(
        "userinfo",
        ("@",),
        r"((?::|\bsqlplus )[\w$#]{1,30}/)([^\s/'\"@]{3,128}@)(?=//|[\w.-]{1,80}:\d{2,5}\b)",
    ),
    SecretKind(  # a line of .pgpass
        "password",
        (":*:", ":5432:"),
        r"(?m:^([\w.*-]{1,80}:[\d*]{1,5}:[\w*-]{1,60}:[\w.-]{1,60}:)([^\s:]{4,200})$)",
    ),
)
_USERINFO = r"(?P<head>\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://)(?P<value>[^\s/'\"<>@:`\[\]]{16,256})@"
_OPTION = (
    r"(?<=\s)(?P<option>--user|-[a-zA-Z])[ =]{0,2}[\"']?(?:(?<=-U )[^\s%\"']{1,60}%)?"
    r"(?P<value>[^\s\"'$-][^\s\"'$]{3,200})"
)
_LOGIN = r"\s-u[ =]?[^\s|;-][^\s|;]{0,80}\s[^|;]{0,80}$"  # `-u admin -p …` of any program
_CURLS = ("curl", "http", "wget")
_USERS = {
    "-p": ("mysql", "sshpass", "docker login"),
    "-a": ("redis-cli",),
    "-u": _CURLS,
    "--user": _CURLS,
}
_BASE64 = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{24,65536}+={0,2}(?![A-Za-z0-9+/_-])"
_SOME_BASE64 = r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24}"
_SECRET = r"[Ss][Ee][Cc]"  # a quick look before the next one
_MANIFEST = r"(?i)\bkind\"?:[ \t]{0,8}[\"']?secret\b"
_DATA = r"[ \t-]*+[\"']?(?:stringData|data)[\"']?[ \t]*+:[ \t]*+\{?[ \t]*+\r?$"
_FLAT_DATA = r"(\b(?:stringData|data): )([\w./-]{1,120}: [^\n]{6,4000})"
_ENTRY = r"[ \t]++[\"']?[\w./-]{1,120}[\"']?[ \t]*+:[ \t]*+(?P<value>\S.*)"
# Prefixes of ids and digests, which are no secrets.
_IDS = frozenset(
    (
        *("sha", "sha1", "sha256", "sha384", "sha512", "md5", "blake2b", "blake3", "req", "msg"),
        *("toolu", "call", "chatcmpl", "run", "thread", "asst", "file", "resp", "evt", "event"),
        *("trace", "span", "chunk", "cache", "hash", "build", "commit", "rev", "id", "uuid"),
        *("etag", "session_id", "chunk-vendors", "bundle", "index", "main"),
    )
)
_THINGS = frozenset(  # the same of digests and of ids in letters of one case
    (
        *("img", "image", "layer", "blob", "tree", "object", "pod", "node", "job", "task", "user"),
        *("project", "page", "item", "chat", "conv", "batch", "upload", "snapshot", "vol", "sg"),
        *("subnet", "vpc", "ami", "price", "cus", "sub", "tmp", "test", "ref", "doc"),
    )
)
_KEYS = frozenset(("api", "sdk", "pat", "sk", "key", "token", "secret", "live", "prod", "auth"))
_LEAST, _WRAPPED = 14, 6  # minimum characters of a possible token, and of one that is wrapped
_LONG_WORD = rf"(?<![\w-])[\w-]{{{VERY_LONG}}}"  # longer than human words are
_VERY_LONG_WORD = rf"(?<!\S)\S{{{VERY_LONG},}}+"
_COINED = 28  # minimum characters of the body of a token whose name says nothing

_EVERY_WORD = frozenset(word for rule in KINDS for word in rule.keywords) - {LONG}
_SPACED_WORDS = frozenset(word for word in _EVERY_WORD if " " in word)
_INNER_WORDS = frozenset(w for w in _EVERY_WORD if not w[0].isalnum()) | {
    "T3BlbkFJ",
    "NRAL",
    "JQQJ9",
}
_BY_FIRST: dict[str, list[str]] = {}
for _word in sorted(_EVERY_WORD - _SPACED_WORDS - _INNER_WORDS, reverse=True):  # longer ones first
    _BY_FIRST.setdefault(_word[0], []).append(_word)
# Grouped by first letter: of about 300 words hardly any is tried.
_BEGINNINGS = "(?<![A-Za-z0-9])(?:{})".format(
    "|".join(
        f"{first}(?:{'|'.join(word[1:].replace('.', '[.]').replace('$', '[$]') for word in words)})"
        for first, words in _BY_FIRST.items()
    )
)
_ESCAPED, _BREAK = "\\n", "\r\n"  # JSON keeps a line break as two characters; rules see a true one
_PASSES = 4
_HEADER_WORDS = frozenset(word for rule in _HEADERS for word in rule.keywords)


def redact(text: str) -> str:
    """The text with every secret replaced by a placeholder that names its kind."""
    seen = ""  # what the last plain pass began with: if nothing came of it, it need not run again
    for _ in range(_PASSES):  # what stood beside a secret may be one, too
        before = text
        if _ESCAPED in text:
            plain = text.replace(_BREAK, "\n").replace("\\r\\n", _ESCAPED)
            safe = _redact_lines(plain.replace(_ESCAPED, _BREAK)).replace(_BREAK, _ESCAPED)
            text = text if safe == plain else safe
        if text != seen:
            seen = text
            text = _redact_lines(text)
        if text == before:
            break
    return text


def _redact_lines(text: str) -> str:
    original, long = text, _long_words(text)
    text = _without_marked(text, long)
    text = re.sub(_OPTION, _option_password, text) if " -" in text else text
    words = " ".join(re.findall(WORDS, text))
    may_hold_one = re.search(MARKS, words) and re.search(MIXED_WORD, words)
    if may_hold_one or re.search(PLAIN, text.lower()):
        text = without_taken(text)
    if "ind" in text and re.search(_SECRET, text) and re.search(_MANIFEST, text):
        text = _without_manifest(text)
    long = long if text == original else _long_words(text)
    text = without_named(text, long)
    text = without_random(text) if may_hold_one else text
    return re.sub(_BASE64, _redact_base64, text) if re.search(_SOME_BASE64, long) else text


def _long_words(text: str) -> str:
    """Words that may be tokens, or parts of a wrapped token."""
    words = {word for word in text.split() if len(word) >= _LEAST}
    ends = (line.rsplit(None, 1) for line in text.split("\n")[:-1])
    words.update(end[-1] for end in ends if end and _WRAPPED <= len(end[-1]) < _LEAST)
    return " ".join(words)


def _without_marked(text: str, long: str) -> str:
    """The text without secrets that are recognized by their form or by a header."""
    keywords = _keywords_in(text, long)
    longest = " ".join(word for word in long.split(" ") if len(word) >= VERY_LONG)
    is_long = re.search(_LONG_WORD, longest) is not None
    if is_long and re.search(ANY_LONG, longest):
        keywords.add(LONG)
    for rule in KINDS if keywords else ():
        is_sure = LONG not in rule.keywords
        if not keywords.isdisjoint(rule.keywords) and (is_sure or re.search(rule.pattern, longest)):
            text = re.sub(rule.pattern, f"[REDACTED:{rule.kind}]", text)
    if is_long and re.search(COINED, longest):
        text = re.sub(_VERY_LONG_WORD, lambda word: re.sub(COINED, _redact_unlisted, word[0]), text)
    lower = text.lower()
    words = {word for word in _HEADER_WORDS if word in lower}
    for rule in _HEADERS:
        if not words.isdisjoint(rule.keywords):
            tail = "@" if rule.kind == "userinfo" else ""
            text = re.sub(rule.pattern, rf"\g<1>[REDACTED:{rule.kind}]{tail}", text)
    if "://" not in text:
        return text
    user = r"\g<head>[REDACTED:userinfo]@"  # a token in the place of a user
    return re.sub(
        _USERINFO, lambda url: url.expand(user) if is_random(url["value"]) else url[0], text
    )


def _keywords_in(text: str, long: str) -> set[str]:
    """The keywords in the text, searched where tokens can be."""
    begun = set(re.findall(_BEGINNINGS, long))
    keywords = {
        word
        for beginning in begun
        for word in _BY_FIRST[beginning[0]]
        if beginning.startswith(word)
    }
    keywords |= {word for word in _INNER_WORDS if word in long}
    return keywords | {word for word in _SPACED_WORDS if word in text}


def _redact_unlisted(match: re.Match[str]) -> str:
    """The placeholder for a token of an unlisted provider; digests, ids and names stay."""
    *names, last = re.split(r"[._-]", match[0].rstrip("=.-"))
    lower = {name.lower() for name in names}
    body = re.sub(r"[^A-Za-z0-9]", "", match["body"])
    if not lower.isdisjoint(_IDS):
        is_token = False
    elif all(re.search(chars, body) for chars in (r"[A-Z]", r"[a-z]", r"\d")):
        is_token = len(body) >= _COINED and is_jumbled(body)
    else:
        is_token = match["mark"] != "." and _is_plain_token(match, lower, last)
    return "[REDACTED:token]" if is_token else match[0]


def _is_plain_token(match: re.Match[str], names: set[str], last: str) -> bool:
    """Whether letters of one case are a token: a digest behind a name, or no word at all."""
    if not names.isdisjoint(_THINGS):
        return False
    if not names.isdisjoint(_KEYS) and is_strong(match["body"]):
        return True
    is_digest = match[0].endswith(f"_{last}") and bool(re.fullmatch(r"[0-9a-f]{32,128}", last))
    return is_digest or (len(last) >= _COINED and is_jumbled(last))


def _option_password(match: re.Match[str]) -> str:
    """The option without the password, if the program takes one there."""
    line = match.string[max(0, match.start() - 200) : match.start()].rsplit("\n", 1)[-1]
    value, option = match["value"], match["option"]
    if option not in _USERS:
        has_both = re.search("[a-z]", value) and re.search("[A-Z]", value)
        is_chosen_one = is_chosen(value) and (has_both or "%" in match[0][: -len(value)])
        return match[0][: -len(value)] + "[REDACTED:password]" if is_chosen_one else match[0]
    user = max(line.rfind(name) for name in _USERS[option])
    if user < 0 or "|" in line[user:] or ";" in line[user:]:
        is_login = option == "-p" and re.search(_LOGIN, line) and is_mixed(value)
        return match[0][: -len(value)] + "[REDACTED:password]" if is_login else match[0]
    if option in {"-u", "--user"}:
        value = value.partition(":")[2]
    return match[0][: -len(value)] + "[REDACTED:password]" if value else match[0]


def _without_manifest(text: str) -> str:
    """The text without the values of a Kubernetes secret, whatever their names are."""
    flat_value, mark = r"(?<=: )[^\s:\[][^\s:]{5,}(?=\s|$)", "[REDACTED:secret]"
    text = re.sub(_FLAT_DATA, lambda flat: flat[1] + re.sub(flat_value, mark, flat[2]), text)
    lines, depth = text.split("\n"), -1
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" -"))
        if re.match(_DATA, line):
            depth = indent
        elif depth >= 0 and (indent <= depth or line.strip() == "---"):
            depth = -1 if line.strip() else depth
        elif depth >= 0 and (entry := re.match(_ENTRY, line)):
            start = entry.start("value")
            value = entry["value"].removesuffix("\r").removesuffix(",").rstrip(" \t")
            end = start + len(value)
            if "[REDACTED" not in line:
                lines[number] = f"{line[:start]}{mark}{line[end:]}"
    return "\n".join(lines)


def _redact_base64(match: re.Match[str]) -> str:
    """The placeholder if a base64 text contains a secret; a truncated text is partly decoded."""
    encoded = match[0].rstrip("=")
    try:
        plain = a2b_base64(encoded[: len(encoded) // 4 * 4]).decode("ascii")
    except (NotBase64, UnicodeDecodeError):
        return match[0]
    if not plain.isprintable() and "\n" not in plain:
        return match[0]
    long = _long_words(plain)  # what is encoded again is not looked at
    is_secret = _without_marked(plain, long) != plain or without_named(plain, long) != plain
    return "[REDACTED:base64]" if is_secret else match[0]
