"""Find secrets by the name they are set to, as in `DB_PASSWORD=…`.

A name counts if it contains password, secret, token or a kind of key, or if it names a provider and
the value is random. Other names with key, auth, access or private count if the value is as random
as only a program makes it. The value may be set by an assignment in any language, a call, an
element or attribute, a pair of `name` and `value`, a flag or a command, or may simply follow. A
value that was found by its name is removed wherever else it stands in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hardwon.core.text.randomness import (
    DIGEST_OR_ID,
    is_chosen,
    is_jagged,
    is_made_up,
    is_mixed,
    is_noise,
    is_random,
    is_strong,
)

_SHORT = r"(?=>|[\"']{0,2}(?:[ \t]{1,4}\w{1,10})?[ \t]{0,8}[:=]|[ \t]{1,4}\S{8})"
_SET = r"(?=[\"'`\]]{0,2}[ \t]{0,8}(?:[:=,]|\b[ -][\"'\w]))"
# Words for a password in other languages; the value must look like one, too.
_FOREIGN = (
    r"kennwort|wachtwoord|contrase[nñ]a|senha|clave|mot[ _]de[ _]passe|mdp|has[lł]o|heslo|parola"
    r"|salasana|adgangskode|l[öo]senord|jelsz[oó]|şifre|парол[ьяею]|密码|密碼|パスワード|비밀번호"
    r"|סיסמה|كلمة المرور|mật khẩu"
)
# Words that name a secret, in lower case; the word before `key` is checked separately. Each form
# begins with a plain letter, so that the search is fast.
_CORE = (
    r"passw(?:or)?[dt]|pass[_ -]?phrase|passcode|clear-?text|pswd|pwd|secret|token|credential|creds"
    r"|_auth(?!or)|csrf"
    rf"|_pass\b|passe?(?==)|pass{_SHORT}|psk{_SHORT}|pw{_SHORT}|identified by|jwt(?==)"
    r"|key|session[ _-]?id|sig(?:nature)?(?=[=:\"' ])|_dsn|connection[ _-]?string"
    rf"|auth{_SET}|access{_SET}|private{_SET}|salt{_SET}|pepper{_SET}|cookie{_SET}|login{_SET}|secure{_SET}"
    rf"|{_FOREIGN}"
)
# Each of them contains one of these; plain searches are faster.
_CORE_PARTS = (
    *("pass", "pswd", "pwd", "secret", "token", "cred", "auth", "csrf", "key", "session"),
    *("sig", "_dsn", "connection", "access", "private", "psk", "pw", "identified", "jwt"),
    *("salt", "pepper", "cookie", "login", "secure", "clear"),
    *("kennwort", "wachtwoord", "contrase", "senha", "clave", "mot", "mdp", "has", "heslo"),
    *("parola", "salasana", "adgangskode", "senord", "jelsz", "şifre", "парол", "密", "パスワード"),
    *("비밀번호", "סיסמה", "كلمة", "khẩu"),
)
_SHORT_NAMES = frozenset(("pass", "psk", "pw"))  # which say many things
_WEAK = frozenset(
    ("key", "auth", "access", "private", "jwt", "salt", "pepper", "cookie", "login", "secure")
)  # only a strong value makes them a secret
_PLAIN_KEYS = (  # keys that name a thing
    *("cache", "public", "primary", "foreign", "sort", "partition", "object", "row", "hash"),
    "index",
    *("group", "dedup", "dedupe", "idempotency", "i18n", "translation", "storage", "query", "map"),
    *("event", "lookup", "registry", "content", "file", "image", "s3", "bucket", "host", "item"),
)
# Providers: a value set by their name is a secret when it is random.
_PROVIDERS = (
    r"adafruit|adobe|airtable|algolia|alibaba|asana|atlassian|confluence|jira|beamer|bitbucket"
    r"|bittrex|codecov|cohere|coinbase|confluent|contentful|datadog|discord|droneci|dropbox|etsy"
    r"|facebook|fastly|finicity|finnhub|flickr|freshbooks|gitter|gocardless|heroku|hubspot"
    r"|intercom|jfrog|artifactory|kraken|kucoin|launchdarkly|linked_?in|mailchimp|mailgun|mapbox"
    r"|mattermost|meraki|message_?bird|netlify|new_?relic|nytimes|okta|plaid|private_?ai|rapidapi"
    r"|sendbird|sentry|snyk|sonar|sourcegraph|squarespace|sumo|telegram|travis|twitch|twitter"
    r"|typeform|yandex|zendesk"
)
_NAMED = (
    r"passw|phrase|passcode|clear-?text|pswd|pwd|psk|pw|secret|token|cred|auth|csrf|pass|key|session|sig|dsn"
    rf"|conn|jwt|salt|pepper|cookie|login|secure|access|private|{_FOREIGN}"
)
_KEYS = (
    *("api", "access", "account", "private", "auth", "shared", "encryption", "signing", "license"),
    *("master", "secret", "session", "consumer", "app", "service", "client", "deploy"),
    *("hmac", "aes", "unseal", "recovery", "merchant", "admin", "root", "subscription"),
)
_REST = r"(?P<rest>[\w.-]{0,32}+)"
_CLOSE = r"(?P<close>\\{0,3}[\"'`]?\]?)"
_TYPE = (
    r"(?:[ \t]{1,4}(?:string|str|String|text|char ?\*)|[ \t]?:[ \t]{0,4}&?(?:'static )?"
    r"(?:[Ss]tring|str|bytes|Final(?:\[str\])?|Optional\[str\]|str \| None)(?=[ \t]{0,4}=))?"
)
_LINE = r"(?:(?:[>|][+-]?)?\\?\r?\n[ \t]{0,12}|[>|][+-]?[ \t]{1,8})?"
_BY = rf"[ \t]{{0,24}}(?:=>|->|={{2,3}}|:{{0,3}}=|\?\??=|\.=|\+=|\|\|=|:(?!:))[ \t]{{0,24}}{_LINE}"
_CALL = r"[ \t]{0,4},\s{0,12}(?=\\{0,3}[\"'`])"
_PAIR = (
    r"\s{0,40}(?:,\s{0,40})?(?:\{\s{0,40})?(?:/?>\s{0,40}<)?\\{0,3}[\"']?(?:value|val|content|default)\\{0,3}[\"']?"
    r"\s{0,4}[:=]\s{0,4}"
)
_ELEMENT = r"(?:\s[^<>\n]{0,120})?>\s{0,60}(?:<[\w:.-]{1,40}>\s{0,60})?(?=[^<>]{1,1024}</)"
_IS = r"[ ]is[ ](?=\S{0,40}\d)"
_STRING = (
    r"(?P<tag>[bruf]{0,2}|@|!!?\w{1,10} )(?:(?P<quote>\"\"\"|'''|[\"'`])"
    r"(?P<value>(?:\\.|(?!(?P=quote))[^\\\n]){1,1024})(?P=quote)"
    r"|(?P<escaped>\\{1,3}[\"'])(?P<inner>(?:(?!(?P=escaped))[^\n]){1,1024}?)(?P=escaped))"
)
_BARE = (
    r"(?P<tag>[bruf]?|!!?\w{1,10} )(?P<quote>\\{0,3}[\"'`]?)"
    r"(?P<value>(?:[^\s\"'`\\<>,;)}\]&|]|&(?![&\s]|[\w.-]{0,40}=)){1,1024})"
)
_WHOLE_LINE = r"(?P<tag>)(?P<quote>)(?P<value>[^\s\"'`]{1,1024}+)(?=[ \t]*\r?(?:\n|\Z))"
_INSIDE = (
    r"(?P<tag>)(?P<quote>)(?P<value>[^\s<>]{1,1024}+(?:\s{1,60}+[^\s<>]{1,1024}+){0,200})"
    r"(?=\s{0,60}</)"
)
_SETTER_WORDS = (
    *("set", "setx", "setenv", "env", "arg", "config", "export", "put", "add", "global", "define"),
)
_SETTERS = rf"(?i:\b(?:{'|'.join(_SETTER_WORDS)})[ \t]{{1,4}}(?:-\S{{1,20}} )?)$"
_IN_ATTRIBUTE = r"(?i:\b(?:name|key|property)\s{0,2}=\s{0,2}[\"'][\w.:-]{0,60})$"
_IN_PAIR = (
    r"(?i:\b(?:(?:name|key)\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}\\{0,3}[\"']?|variable \")"
    r"[\w.:/-]{0,80})$"
)

_NO_SECRET_NAME = (  # in lower case; each begins with a letter, so that the search is fast
    r"(?:s|count|limit|type|types|name|names|id|ids|file|files|path|paths|url|uri"
    r"|field|fields|len|length|expir\w{0,8}|ttl|usage|budget|index|pattern|class|version|algorithm"
    r"|header|izer|ized|izers?|ize|ization|able|validators?|policy|strength|prompt|manager|store"
    r"|provider|error|errors|in|out|at|list|set|map|dict|kind|pos|position|stream|factory|bucket"
    r"|size|env|env_var|variable|from_literal|status|hasher|hash|form|input|reset|check\w{0,5}"
    r"|context|label|placeholder|hint|message|text|title|help|required|invalid|format|regex|words?"
    r"|board|ring(?<!string))$"
)
_HARMLESS = (
    r"(?i)(?:none|null|nil|true|false|undefined|optional|required|string|str|int|bool|bytes|text"
    r"|any|self|lambda|invalid|incorrect|missing|wrong|empty|expired|not|is|was|and|or|if|in|for"
    r"|the|a|to|password\d?|passwd|secret|token|pass|user|username|test|example|dummy|changeme|foo"
    r"|bar|key|value|type|field|prompt|default|hidden|env|file|stdin|auto|basic|bearer|\*+|x{3,}"
    r"|\.{2,}|-+|_+|\d{1,5}|0x[\da-f]{1,16}|\[?redacted\S*|<.*|[$%{(\[@&].*|your[_ -].*"
    r"|my[_-].*|process\.env.*|os\.environ.*|\w+\(.*|env\..*|settings\..*|config\..*|self\..*|args\..*|request\..*|/[\w./-]*"
    r"|\.{0,2}/[\w./-]*|https?:.*|\W+)$"
)
# Words of a sentence about a password; a pass phrase has none of them.
_MESSAGE = (
    r"(?i)\b(?:required|must|invalid|enter|please|cannot|can't|short|match(?:es)?|incorrect|wrong"
    r"|missing|characters|expired|field|should|forgot(?:ten)?|reset|confirm|your|this|is|are|not|no"
    r"|password|secret|token|key|the|a|to|for|of|or|and|if|when|at least|provided|failed|error"
    r"|authentication|set|used|use)\b"
)
_STRONG = rf"(?i)passw|pwd|pswd|phrase|passcode|clear|secret|_pass|^pass|^psk|^pw|{_FOREIGN}"
_TOLD = (  # `PASSWORD '…'`, `password for root is …`
    r"(?:[ \t]for[ \t]\S{1,60})?(?:[ \t](?:is|=))?:?[ \t]{1,4}"
    r"(?:(?P<quote>[\"'])(?P<inner>[^\s\"'`]{6,128})(?P=quote)|(?P<value>[^\s\"'`]{8,128}))"
)
_SETTING = (
    r"(?i:(?<=pass)|(?<=pw))[ \t]{1,8}(?P<value>[^\s\"'`]{6,128})[ \t]*(?:\r?\n|\Z)"  # `bindpw …`
)
_TOLD_LATER = (  # `password of the new user is: …`, or on the next line
    r"(?:[ \t]{1,2}[\w'\[\]()@/.-]{1,30}){0,8}?[ \t]?(?:(?<=[ \t])(?:is|es|est|ist|lautet)\b|=)?"
    r"(?:(?<=[st=])|[:：])(?:[ \t]{1,8}|[ \t]{0,4}(?:\r?\n){1,2}[ \t]{0,8})"
    r"(?P<quote>[\"'])?(?P<inner>)(?P<value>[^\s\"'`]{8,128})"
)
_COLUMN = (  # in a table, or in a listing of names and values
    r"(?:[ \t]{0,40}\|[ \t]{0,8}|\t[ \t]{0,8}|[ \t]{2,40})(?:[A-Z_]{3,12}[ \t]{1,8})?"
    r"(?P<value>[^\s\"'`|]{8,128})"
)
_TELLING = rf"passw|pswd|pwd|phrase|passcode|identified|{_FOREIGN}"
_RANDOM_WORD = r"(?<![\w-])(?=[A-Za-z_-]{0,13}\d[A-Za-z_-]{0,12}\d)[\w-]{14}"
_HEX_BEFORE = r":(?<=[\da-f]{8}:)"
_PROVIDED = 14  # minimum characters of a value whose name only names a provider
_FOLLOWS = (
    r"(?:[ \t]\d{1,2})?(?:[ \t]is)?:?(?:[ \t]{1,3}(?:-[ \t]{1,2})?|[-_])(?P<tag>)(?P<quote>[\"'`]?)"
    r"(?P<value>[\w+/=.~:-]{16,512}+)"
)
_GIVEN = r"\(\s{0,4}(?P<tag>)(?P<quote>[\"'`])(?P<value>[\w+/=.~:-]{16,512})(?P=quote)"
_EXPLAINED = frozenset(
    ("to", "and", "or", "is", "was", "for", "with", "option", "flag", "argument", "instead", "not")
)
_SET_BY = f"{_TYPE}{_BY}|{_IS}"
_PAIRED = rf"\\{{0,3}}[\"']?{_PAIR}"
_IN_TAG, _LONG_TAG = r"<[\w.:-]{0,60}$", 62
_BLANK = r"[ \t]{1,4}(?:(?:-b|--body)[ =])?(?![-=:])"
_FLAG, _LONG_FLAG = r"(?:^|\s)--?[\w.-]{0,40}$", 44
_NAME_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:@"
_LONG_SETTER, _LONGEST_OTHER = 48, 16  # characters
_MARK, _TOLD_WITHIN = r"[\d!#%^*]", 200
_BEFORE = 100  # characters before a name that say what it is
# What may stand behind a name that is set, and behind one whose value simply follows.
_SETTING_SIGN = r"[\s\\\"'`\]=:?.+|,<>{/-]|val|con|def"
_FOLLOWING_SIGN = r"[ \t\r\n|:：_(-]|=[ \t\r\n:：]"
_ENGLISH = frozenset(("password", "passwd", "pwd", "secret", "token", "key"))


def without_named(text: str, long: str) -> str:
    """The text without the values of secret names: `DB_PASSWORD=…`, `--token …`.

    `long` holds the long words of the text.
    """
    parts: list[str] = []
    values: dict[str, str] = {}
    last, done = 0, ""  # the end of the last secret, and the last characters of what is made
    lower = text.lower()
    if len(lower) != len(text):  # `İ` becomes two characters
        lower = "".join(c.lower()[0] for c in text)
    cores = [*re.finditer(_CORE, lower)] if any(map(lower.__contains__, _CORE_PARTS)) else []
    if re.search(_RANDOM_WORD, long) or re.search(_HEX_BEFORE, long):
        cores = sorted((*cores, *re.finditer(_PROVIDERS, lower)), key=re.Match.start)
    for core in cores:
        is_mark = text.endswith("[REDACTED:", 0, core.start())
        if is_mark or core.start() < last:
            continue
        # Names are read behind what is redacted already: one pass finds what two would.
        before = text[max(last, core.start() - _BEFORE) : core.start()]
        before = f"{done}{before}"[-_BEFORE:] if done else before
        secret = _set_to(text, core, before)
        if secret is None:
            continue
        start, end, kind = secret
        done = f"{before}{text[core.start() : start]}[REDACTED:{kind}]"[-_BEFORE:]
        parts += (text[last:start], f"[REDACTED:{kind}]")
        values[text[start:end]] = f"[REDACTED:{kind}]"
        last = end
    text = "".join((*parts, text[last:]))
    for value, mark in values.items():  # it may stand elsewhere, too
        text = text.replace(value, mark) if is_random(value) else text
    return text


def _set_to(text: str, core: re.Match[str], before: str) -> tuple[int, int, str] | None:
    """The span and the kind of the secret that the name is set to; None if there is none."""
    end = core.end()
    near = before[-14:].lower()
    is_key = core[0] == "key" and (near.endswith("_") or near.rstrip(" _.-").endswith(_KEYS))
    is_weak = core[0] in _WEAK and not is_key
    if is_weak and near.rstrip(" _.-").endswith(_PLAIN_KEYS):
        return None
    tail = re.compile(_REST).match(text, end)
    if tail is None or _says_other(tail[0]):
        return _after_name(text, core, before, is_weak=is_weak)
    name = core[0] + tail[0].lower()
    is_short = core[0] in _SHORT_NAMES and not text.startswith("=", end)
    is_fit: Callable[[str], bool]
    if is_short or (is_weak and core[0] in {"auth", "login"}):
        is_fit = is_made_up
    elif is_weak:
        is_fit = is_strong
    else:
        is_fit = bool if core[0] in _ENGLISH or not re.fullmatch(_FOREIGN, core[0]) else is_mixed
    forms = _FORMS if re.compile(_SETTING_SIGN).match(text, tail.end()) else ()
    for form in forms:
        span = form(text, before, tail.end(), name)
        if span and span[0] < span[1] and is_fit(text[slice(*span)]):
            return (*span, "password" if re.search(_STRONG, name) else "secret")
    return _after_name(text, core, before, is_weak=is_weak)


def _says_other(rest: str) -> bool:
    """Whether the rest of a name makes it the name of another thing, as in `token_count`."""
    is_word = rest[-1:] not in {"", "-", "."}
    return is_word and re.search(_NO_SECRET_NAME, rest[-_LONGEST_OTHER:].lower()) is not None


def _after_name(
    text: str, core: re.Match[str], before: str, *, is_weak: bool
) -> tuple[int, int, str] | None:
    """`acme SECRET …` and `acme-token-…`, `PASSWORD '…'`: only a strong value counts."""
    if not re.compile(_FOLLOWING_SIGN).match(text, core.end()):
        return None
    if re.compile(_MARK).search(text, core.end(), core.end() + _TOLD_WITHIN) and (
        span := _told(text, core)
    ):
        return (*span, "password")
    line = re.compile(_SETTING).match(text, core.end())
    if line and is_mixed(line["value"]) and re.fullmatch(r"(?s)(?:.*\n)?[ \t]*\w*", before):
        return (*line.span("value"), "password")
    value = re.compile(_FOLLOWS).match(text, core.end()) or re.compile(_GIVEN).match(
        text, core.end()
    )
    if value is None or not is_strong(value["value"]):
        return None
    is_named = (
        text[slice(*core.span())].isupper()
        or text[max(0, core.start() - 1) : core.start()].isalnum()
    )
    if is_weak and not is_named and re.fullmatch(DIGEST_OR_ID, value["value"]):
        return None  # a digest or an id is the key of many things
    return (*value.span("value"), "secret")


def _told(text: str, core: re.Match[str]) -> tuple[int, int] | None:
    """`password for root is …`, `the password is: …`, `password | …`."""
    column = re.compile(_COLUMN).match(text, core.end())
    if column and is_made_up(column["value"]):
        return column.span("value")
    if not re.match(_TELLING, core[0]):
        return None
    if told := re.compile(_TOLD).match(text, core.end()):
        word = told["inner"] or told["value"].rstrip(".:,;)")
        is_fit = is_made_up if core[0] == "identified by" else is_chosen
        if is_fit(word) or (told["inner"] and (is_mixed(word) or is_random(word))):
            start = told.start("inner" if told["inner"] else "value")
            return start, start + len(word)
    told = re.compile(_TOLD_LATER).match(text, core.end())
    word = told["value"].rstrip(".:,;)") if told else ""
    return (
        (told.start("value"), told.start("value") + len(word))
        if told and is_made_up(word)
        else None
    )


def _in_assignment(text: str, before: str, end: int, name: str) -> tuple[int, int] | None:
    """`NAME = "…"` in any language, and `call("NAME", "…")`."""
    close = re.compile(_CLOSE).match(text, end)
    at = close.end() if close else end
    is_quoted = bool(close and close[0])
    by = re.compile(_SET_BY).match(text, at) or (
        re.compile(_CALL).match(text, at) if is_quoted else None
    )
    if by is None:
        return None
    value, quote = _value(text, by, before), text[by.end() : by.end() + 1]
    is_closing = quote in {'"', "'", "`"} and before.rpartition("\n")[2].count(quote) % 2 == 1
    if not is_quoted and is_closing:  # the end of a text with the name: `"Enter password: "`
        return _span(value) if value and is_strong(_text(value)) else None
    return _span(value) if value and _is_secret(name, value, by[0]) else None


def _value(text: str, by: re.Match[str], before: str) -> re.Match[str] | None:
    """The value after an assignment: a string, the remainder of a settings line, or a word."""
    value = re.compile(_STRING).match(text, by.end())
    if value is None and re.fullmatch(r"(?s).*(?:^|\n)[ \t]*(?:export |set )?[\w.]*", before):
        value = re.compile(_WHOLE_LINE).match(text, by.end())
        value = value if value and (by[0] == "=" or is_chosen(value["value"])) else None
    return value or re.compile(_BARE).match(text, by.end())


def _string_or_word(text: str, at: int) -> re.Match[str] | None:
    return re.compile(_STRING).match(text, at) or re.compile(_BARE).match(text, at)


def _in_pair(text: str, before: str, end: int, name: str) -> tuple[int, int] | None:
    """`name: NAME` and `value: …` in one entry, in YAML, JSON and attributes."""
    by = re.compile(_PAIRED).match(text, end)
    if by is None or not re.search(_IN_PAIR, before):
        return None
    value = _string_or_word(text, by.end())
    return _span(value) if value and _is_secret(name, value, "value") else None


def _element(text: str, before: str, end: int, name: str) -> tuple[int, int] | None:
    """`<NAME>…</NAME>` and `<property name="NAME">…</property>`."""
    is_attribute = text.startswith(("'", '"'), end)
    if not is_attribute and "<" not in before[-_LONG_TAG:]:
        return None
    by = re.compile(_ELEMENT).match(text, end + is_attribute)
    if by is None or not re.search(_IN_ATTRIBUTE if is_attribute else _IN_TAG, before):
        return None
    value = re.compile(_INSIDE).match(text, by.end())
    if value is None:
        return None
    words = re.split(r"[\s{}]++", value["value"])
    return (
        value.span("value") if _is_secret(name, value, ">") or any(map(is_strong, words)) else None
    )


def _after_flag(text: str, before: str, end: int, name: str) -> tuple[int, int] | None:
    """`--token …`, `aws configure set NAME …`, `setenv NAME …`."""
    by = re.compile(_BLANK).match(text, end)
    if by is None:
        return None
    is_flag = "-" in before and re.compile(_FLAG).search(before, max(0, len(before) - _LONG_FLAG))
    if not is_flag and not _is_setter(before):
        return None
    value = _string_or_word(text, by.end())
    if not value or _text(value).lower() in _EXPLAINED:
        return None
    is_password = is_flag and re.search(r"passw|pwd|passphrase", name)
    return _span(value) if _is_secret(name, value, "=" if is_password else " ") else None


def _is_setter(before: str) -> bool:
    """Whether a command that sets a name stands before it: `setenv`, `aws configure set`."""
    head = before.rstrip(_NAME_LETTERS)[-_LONG_SETTER:]
    is_cued = head.rstrip().lower().endswith(_SETTER_WORDS) or " -" in head or "\t-" in head
    return is_cued and head[-1:].isspace() and re.search(_SETTERS, head) is not None


_FORMS = (_in_assignment, _in_pair, _element, _after_flag)


def _span(match: re.Match[str]) -> tuple[int, int]:
    group = "inner" if "inner" in match.groupdict() and match["inner"] is not None else "value"
    return match.span(group)


def _text(match: re.Match[str]) -> str:
    start, end = _span(match)
    return match.string[start:end]


def _is_secret(name: str, match: re.Match[str], by: str) -> bool:
    """Whether both name and value look like a secret."""
    value = _text(match).strip().rstrip(".:,;)")
    is_quoted = bool(match["quote"]) or _span(match) != match.span("value") or by == ">"
    if is_quoted and is_noise(value):
        return True
    if re.fullmatch(_HARMLESS, value) and not is_jagged(value):
        return False
    if not re.search(_NAMED, name):
        return len(value) >= _PROVIDED and is_random(value)
    if re.search(r"\s", value):
        return is_quoted and _is_phrase(name, value, by)
    if by.strip() in {"", "is", ","} or "\n" in by or not re.search(_STRONG, name):
        return is_random(value)
    return len(value) >= 4 and (_is_set(value, by, is_quoted) or is_random(value))


def _is_set(value: str, by: str, is_quoted: bool) -> bool:
    """Whether the name is assigned this value, not compared with it or with an expression."""
    if "==" in by:
        return is_quoted and is_mixed(value)
    # An expression: `get_password`, `user.secret`, `str(x)`.
    is_code = re.fullmatch(r"[A-Za-z_]\w*(?:[.(\[:].*)?", value) and not re.search(r"\d", value)
    return is_quoted or ((" " not in by or is_mixed(value)) and not is_code)


def _is_phrase(name: str, value: str, by: str) -> bool:
    """Whether several words are a pass phrase, not a sentence about a secret."""
    if "==" in by or not re.search(_STRONG, name) or "\n" in by:
        return any(is_random(word) for word in value.split())
    is_sentence = re.search(_MESSAGE, value) and not re.search(r"[^\w\s.,:'’!?/-]", value)
    return not is_sentence and (by.strip() != "," or bool(re.search(r"\d", value)))
