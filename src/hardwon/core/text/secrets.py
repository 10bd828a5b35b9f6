"""Text without secrets: the only place where screened text is made.

Secrets are removed before a text is cut, never after: no rule recognizes half a token. Of a very
long text only the beginning and the end are checked, each with a margin that is then dropped, so
that a token at the cut is seen whole or not at all. Most texts hold no secret: the rules are
imported only when one may.
"""

from __future__ import annotations

import re

from hardwon.core.text.clean import clean, clip, clip_middle

# Every text with a secret has one of these: a long word, perhaps folded, an address, an option.
_LONG, _MOTLEY = 12, 10  # characters, and of a word with marks
_MARKED = r"[!#$^&*?@%](?<=[a-zA-Z\d].)"
_LONG_WORD = rf"(?<![\w+/=.~-])[\w+/=.~-]{{{_LONG}}}"
_FOLDED = r"[\w.-]{6}\\?\r?\n[ \t]{0,8}[\w.-]{4}"
_FOLD = r"\n(?<=[\w.\\\r-]\n)[ \t]{0,8}[\w.-]"  # the middle of it, faster to search for
_OPTION = r"\s-(?:[pau]|[a-zA-Z]{1,2}[ =][\"']?(?=\S{0,60}[A-Z\d])\S{6})"
_NUMBERED = r"\d\d[!#$@?*]"  # the end of a password; any other word that is one is long
_SECOND = r"[\"'],[ ]?b?[\"'](?=[^\s\"'`]{0,60}\d)[^\s\"'`]{8}"  # the second text of a call
_NAMED = (
    *("pass", "pwd", "pswd", "secret", "token", "key", "auth", "cookie", "cred", "csrf", "sig"),
    *("dsn", "session", "connection", "login", "private", "psk", "pw", "identif", "jwt"),
    *(" /u:", " /user:", " /p", " /rp", "salt", "pepper", "user", "admin", "account", "community"),
    *(
        "wifi",
        "wlan",
        "ssid",
        "connect",
        "secure",
        "zugang",
        "sudo",
        "crypt",
        "ssh",
        "ftp",
        "smtp",
        "imap",
    ),
    *("ldap", "seed", "recovery", "backup code", "mnemonic", "<<<", "kennwort", "wachtwoord"),
    *("contrase", "senha", "clave", "mdp", "haslo", "hasł", "heslo", "parola", "salasana"),
    *("adgangskode", "senord", "jelsz", "şifre", "парол", "密码", "密碼", "パスワード", "비밀번호"),
    *("סיסמה", "كلمة", "khẩu"),
)
_NAMES = f"(?i){'|'.join(_NAMED)}"
_APART = "\n\n"  # between texts: no word is folded over two line breaks
MARGIN = 4096  # characters checked beyond a cut: hardly any secret is longer
_REMEMBERED, _SHORT = 4096, 1000  # how many clean texts are remembered, and their maximum length
_clean: set[str] = set()


class Screened(str):
    """Text without secrets. No other text is written or sent."""

    __slots__ = ()


def without_secrets(text: str) -> Screened:
    """The whole text, without secrets."""
    if isinstance(text, Screened):
        return text
    if text in _clean:
        return Screened(text)
    safe = text
    if may_hold_secret(text):
        from hardwon.core.text import redact

        safe = redact.redact(text)
    if safe == text and len(text) <= _SHORT:  # a lesson is written often, and changes little
        if len(_clean) >= _REMEMBERED:
            _clean.clear()
        _clean.add(text)
    return Screened(safe)


def all_without_secrets(*texts: str) -> tuple[Screened, ...]:
    """The whole texts, without secrets."""
    return tuple(map(without_secrets if may_hold_secret(*texts) else Screened, texts))


def ending(text: str, limit: int) -> str:
    """The end of a text; the end of a screened text counts as screened."""
    return Screened(text[-limit:]) if isinstance(text, Screened) else text[-limit:]


def may_hold_secret(*texts: str) -> bool:
    """Whether the rules must run for one of the texts; they are looked at together, for speed."""
    text = _APART.join(texts)  # quick and frequent signs are checked first
    if "://" in text:
        return True
    words = " ".join([word for word in text.split() if len(word) >= _MOTLEY])  # few, found quickly
    if (
        (words and re.search(_LONG_WORD, words))  # most outputs have one
        or (words and re.search(_MARKED, words))
        or ("-" in text and re.search(_OPTION, text) is not None)
        or re.search(_NUMBERED, text) is not None
        or re.search(_SECOND, text) is not None
        or any(
            re.search(_FOLD, form) and re.search(_FOLDED, form)
            for form in {text, text.replace("\\n", "\n")}  # JSON keeps a line break so
        )
    ):
        return True
    if not text.isascii():  # beyond ASCII, letters have more forms than one lower case
        return re.search(_NAMES, text) is not None
    return any(map(text.lower().__contains__, _NAMED))


def safe(text: str, limit: int) -> Screened:
    """The beginning of a text, without secrets; a token at the cut is seen whole."""
    screened = text if isinstance(text, Screened) else without_secrets(text[: limit + MARGIN])
    return Screened(clip(screened, limit))


def screen_excerpt(text: str, limit: int) -> Screened:
    """The beginning and the end of a text, clean and without secrets."""
    if isinstance(text, Screened) and len(text) <= limit:
        return text
    if len(text) <= 2 * (limit + MARGIN):
        return Screened(clip_middle(without_secrets(clean(text)), limit))
    head = without_secrets(clean(text[: limit + MARGIN]))[:-MARGIN]
    tail = _after_seam(without_secrets(clean(text[-(limit + MARGIN) :])))
    mark = f"\n… {len(text) - len(head) - len(tail)} characters left out …\n"
    return Screened(clip_middle(f"{head}{mark}{tail}", limit))


def _after_seam(tail: str) -> str:
    """The end of a text without its first words, which may be part of a secret."""
    if tail.startswith("[REDACTED"):  # the remainder of a key
        return tail
    begun = re.search(r"\s", tail[MARGIN:]) if not re.search(r"\s", tail[:MARGIN]) else None
    return tail[MARGIN + begun.start() :] if begun else tail[MARGIN:]
