"""Secrets out of texts: each becomes a typed placeholder such as `[REDACTED:github]`.

Every rule has keywords; its pattern runs only on a text that holds one. Patterns are linear: runs
are possessive or bounded. Redacting twice changes nothing more.
"""

from __future__ import annotations

from binascii import Error as NotBase64
from binascii import a2b_base64

from hardwon._cold import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NamedTuple
else:
    from hardwon._cold.namedtuple import NamedTuple

_BREAK = r"(?:\\?\r?\n[ \t]{0,8})?"  # a terminal or an editor may have wrapped the token


def _long(chars: str, least: int) -> str:
    """At least so many of the characters, perhaps wrapped, with the lines that go on so."""
    more = rf"\\?\r?\n[ \t]{{0,8}}(?=[{chars}]{{0,60}}\d)[{chars}]{{16,}}+(?![.:(/{chars}])"
    return rf"(?:{_BREAK}[{chars}]){{{least}}}[{chars}]*+(?:{more})*"


class Rule(NamedTuple):
    """One kind of secret; the whole match is replaced."""

    kind: str
    keywords: tuple[str, ...]
    pattern: str


_W = r"\w-"
_ALNUM = "A-Za-z0-9"
_HEX = "0-9a-fA-F"
_START = r"(?<![A-Za-z0-9])"


def _prefixed(kind: str, prefixes: str, chars: str, least: int) -> Rule:
    """Tokens that a provider marks by their beginning."""
    words = tuple(prefixes.split())
    head = "|".join(word.replace(".", r"\.") for word in words)
    return Rule(kind, words, rf"{_START}(?:{head}){_long(chars, least)}")


_TOKENS = (
    _prefixed("github", "ghp_ gho_ ghu_ ghs_ ghr_", _ALNUM, 30),
    _prefixed("github", "github_pat_", _W, 22),
    _prefixed(
        "gitlab", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- gloas-", r"\w.-", 20
    ),
    _prefixed("anthropic", "sk-ant-", _W, 20),
    _prefixed("openai", "sk-proj- sk-svcacct- sk-admin- sk-None-", _W, 20),
    _prefixed("openrouter", "sk-or-", _W, 20),
    _prefixed("langfuse", "sk-lf- pk-lf-", _W, 20),
    Rule("openai", ("sk-",), rf"{_START}sk-(?=[a-zA-Z]{{0,60}}\d){_long(_ALNUM, 20)}"),
    Rule(
        "aws",
        ("AKIA", "ASIA", "ABIA", "ACCA"),
        rf"{_START}A[KSBC][ICI]A(?:{_BREAK}[A-Z0-9]){{16}}(?![A-Z0-9])",
    ),
    _prefixed("aws", "ABSK", r"A-Za-z0-9+/=", 60),
    Rule("google", ("AIza",), rf"{_START}AIza(?:{_BREAK}[\w-]){{35}}"),
    _prefixed("google", "ya29. GOCSPX-", r"\w.-", 20),
    Rule("slack", ("xox", "xapp-"), rf"{_START}(?:xox[abceoprs]|xapp)-{_long(_W, 10)}"),
    Rule(
        "slack",
        ("hooks.slack.com",),
        r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}+",
    ),
    Rule(
        "stripe",
        ("_live_", "_test_", "_prod_"),
        rf"{_START}[srp]k_(?:live|test|prod)_{_long(_ALNUM, 10)}",
    ),
    _prefixed("stripe", "whsec_", r"A-Za-z0-9+/=", 20),
    _prefixed("npm", "npm_", _ALNUM, 30),
    _prefixed("pypi", "pypi-", _W, 50),
    _prefixed("huggingface", "hf_ api_org_", _ALNUM, 30),
    Rule("sendgrid", ("SG.",), rf"{_START}SG\.{_long(_W, 16)}\.{_long(_W, 30)}"),
    Rule("mailgun", ("key-",), rf"{_START}key-(?:{_BREAK}[0-9a-f]){{32}}"),
    Rule("mailchimp", ("-us",), r"(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}\b"),
    Rule("twilio", ("SK",), rf"{_START}SK(?:{_BREAK}[0-9a-f]){{32}}(?![0-9a-f])"),
    _prefixed("digitalocean", "dop_v1_ doo_v1_ dor_v1_", "a-f0-9", 40),
    _prefixed("shopify", "shpat_ shpca_ shppa_ shpss_", _HEX, 32),
    _prefixed("square", "sq0atp- sq0csp- sq0idp- EAAA", _W, 22),
    Rule("databricks", ("dapi",), rf"{_START}dapi(?:{_BREAK}[0-9a-f]){{32}}(?:-\d)?"),
    Rule("discord", (".",), rf"{_START}[MNO][A-Za-z0-9]{{23,27}}\.[\w-]{{6}}\.[\w-]{{27,40}}"),
    Rule("discord", ("/api/webhooks/",), r"/api/webhooks/\d{10,25}/[\w-]{30,}+"),
    Rule("telegram", (":AA",), r"(?<!\d)\d{8,12}:AA[\w-]{32,36}"),
    _prefixed("vault", "hvs. hvb. hvr.", _W, 24),
    Rule("terraform", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}+"),
    _prefixed("doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"\w.-", 30),
    _prefixed("linear", "lin_api_ lin_oauth_", _ALNUM, 30),
    _prefixed("notion", "ntn_ secret_", _ALNUM, 40),
    _prefixed("figma", "figd_", _W, 30),
    _prefixed("postman", "PMAK-", _W, 30),
    _prefixed("newrelic", "NRAK- NRII- NRJS-", _W, 16),
    _prefixed("grafana", "glc_ glsa_", r"A-Za-z0-9+/=_", 30),
    _prefixed("sentry", "sntrys_ sntryu_", r"\w+/=-", 30),
    _prefixed("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"\w.=-", 30),
    _prefixed("supabase", "sbp_ sb_secret_", _W, 20),
    _prefixed("fly", "fo1_ fm1_ fm2_", r"\w+/=-", 30),
    _prefixed("dynatrace", "dt0c01.", r"\w.-", 40),
    _prefixed("atlassian", "ATATT3 ATCTT3 ATBB", r"\w=-", 24),
    _prefixed("age", "AGE-SECRET-KEY-1", "A-Z0-9", 40),
    _prefixed("groq", "gsk_", _ALNUM, 30),
    _prefixed("replicate", "r8_", _ALNUM, 30),
    _prefixed("perplexity", "pplx-", _ALNUM, 30),
    _prefixed("xai", "xai-", _ALNUM, 40),
    _prefixed("cerebras", "csk-", _ALNUM, 30),
    _prefixed("tavily", "tvly-", _W, 20),
    _prefixed("langsmith", "lsv2_pt_ lsv2_sk_ ls__", _W, 30),
    _prefixed("pinecone", "pcsk_", _W, 30),
    _prefixed("resend", "re_", r"\w", 30),
    _prefixed("docker", "dckr_pat_ dckr_oat_", _W, 20),
    _prefixed("heroku", "HRKU-", _W, 30),
    _prefixed("artifactory", "AKCp cmVmdGtu", _ALNUM, 50),
    _prefixed("rubygems", "rubygems_", "a-f0-9", 40),
    _prefixed("pulumi", "pul-", "a-f0-9", 40),
    Rule("airtable", ("pat",), rf"{_START}pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{64}}"),
    _prefixed("facebook", "EAACEdEose0cBA", _ALNUM, 10),
    _prefixed("easypost", "EZAK EZTK", _ALNUM, 50),
    _prefixed("brevo", "xkeysib- xsmtpsib-", r"a-fA-F0-9-", 50),
    _prefixed("typeform", "tfp_", r"\w.=-", 40),
    _prefixed("buildkite", "bkua_", "a-z0-9", 40),
    _prefixed("circleci", "CCIPAT_ CCIPRJ_", r"\w", 40),
    _prefixed("1password", "ops_eyJ", r"\w+/=-", 80),
    _prefixed("openshift", "sha256~", _W, 40),
    _prefixed("prefect", "pnu_ pnb_", _ALNUM, 30),
    _prefixed("readme", "rdme_", _ALNUM, 60),
    _prefixed("shippo", "shippo_live_ shippo_test_", _HEX, 40),
    _prefixed("dropbox", "sl.", r"\w-", 100),
    _prefixed("clojars", "CLOJARS_", _ALNUM, 50),
    _prefixed("flutterwave", "FLWSECK", r"\w-", 12),
    Rule("azure", ("Q~",), rf"{_START}[\w~.]{{3}}\dQ~[\w~.-]{{31,34}}"),
    Rule(
        "jwt",
        ("eyJ",),
        rf"(?<![\w-])eyJ{_long(_W, 10)}{_BREAK}\.{_BREAK}[\w-]{{8,}}+(?:{_BREAK}\.{_BREAK}[\w-]*+)"
        rf"?",
    ),
    Rule(
        "private-key",
        ("PRIVATE KEY",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=[\\rn\s\"',+|>#*/]{0,16}"
        r"(?:[A-Za-z0-9+/=]{16}|Proc-Type|Comment|Version))(?:[^-]|-(?!----))*"
        r"(?:-----END [A-Z0-9 ]{0,60}-----)?",
    ),
    Rule(
        "private-key",
        ("PuTTY-User-Key",),
        r"PuTTY-User-Key-File-\d[^\n]*+\n(?:(?!PuTTY-User-Key)[^\n]*+\n){1,80}?"
        r"Private-MAC: [0-9a-f]{1,80}",
    ),
)

# What stands before a secret; the first group is kept.
_QUOTE = r"\\{0,2}[\"'`]?"
_HEADERS = (
    Rule(
        "authorization",
        ("authorization",),
        rf"(?i:((?:proxy-)?authorization{_QUOTE}\s{{0,4}}[:=,]\s{{0,4}}{_QUOTE}"
        r"(?:(?:bearer|basic|token|digest|apikey|key|negotiate|aws4-hmac-sha256)\s{1,4})?)"
        r"(?!(?:bearer|basic|token)\b|[\[<{$(%])([^\s\"'`\\,;]{6,4096}+(?:,?"
        r" ?\w{1,20}=[^\s\"']{1,512}){0,8}))",
    ),
    Rule("bearer", ("bearer ",), r"(?i:(\bbearer )(?=[a-z._~+/-]{0,200}\d)([\w.~+/=-]{12,4096}+))"),
    Rule(
        "cookie",
        ("cookie",),
        rf"(?i:(\b(?:set-)?cookie{_QUOTE}: {{0,4}}{_QUOTE})([\w.!#$%&*+^"
        rf"|~-]{{1,80}}=[^\r\n\"'`]{{4,8192}}+))",
    ),
    Rule(
        "userinfo",
        ("://",),
        r"(\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://)([^\s/'\"<>@:`\[\]]{0,128}+:(?!//)[^\s/'\"<>`]{1,256}"
        r"@)",
    ),
    Rule(
        "password",
        ("password ",),
        r"(?i:(\blogin\s{1,4}[^\s]{1,100}\s{1,4}password\s{1,4}))([^\s]{3,200})",
    ),
)

# Words that name a secret, as they stand in lower case; what may stand before `key` is asked apart.
_CORE = (
    r"passw(?:or)?d|passphrase|pwd|secret|token|credential|_auth|csrf|_pass|pass(?==)"
    r"|key|session[ _-]?id|sig(?:nature)?(?=[=:\"' ])|_dsn|connection[ _-]?string"
)
_KEYS = (
    *("api", "access", "account", "private", "auth", "shared", "encryption", "signing", "license"),
    *("master", "secret", "session"),
)
_VALUE = (
    r"(?P<tag>[bruf]?|!!?\w{1,10} )(?P<quote>\\{0,2}(?:\"\"\"|'''|[\"'`])?)"
    r"(?P<value>[^\s\"'`\\<>,;)}\]&|]{1,1024}+)"
)
_REST = r"(?P<rest>[\w.-]{0,32}+)"
_SET = (
    rf"{_REST}(?P<close>\\{{0,2}}[\"'`]?\]?)"
    r"(?P<by>[ \t]{0,4}(?:=>|:=|==?|:(?!:))[ \t]{0,4}(?:(?:[>|][+-]?)?\\?\r?\n[ \t]{0,8})?"
    rf"|[ ]is[ ](?=\S{{0,40}}\d)){_VALUE}"
)
_FLAGGED = rf"{_REST}(?P<by> )(?!-){_VALUE}"
_OPTION = r"(?<=\s)(?P<option>-p|-a|-u|--user)[ =]{0,2}[\"']?(?P<value>[^\s\"'$-][^\s\"'$]{3,200})"
_CURLS = ("curl", "http", "wget")
_USERS = {
    "-p": ("mysql", "sshpass", "docker login"),
    "-a": ("redis-cli",),
    "-u": _CURLS,
    "--user": _CURLS,
}
_NO_SECRET_NAME = (
    r"(?i)(?:[_.-]?(?:s|count|limit|type|types|name|names|id|ids|file|files|path|paths|url|uri"
    r"|field"
    r"|fields|len|length|expir\w{0,8}|ttl|usage|budget|index|pattern|class|version|algorithm|header"
    r"|izer|ized|izers?|ize|ization|able|validators?|policy|strength|prompt|manager|store|provider"
    r"|error|errors|in|out|at|list|set|map|dict|kind|pos|position|stream|factory|bucket|size|env"
    r"|env_var|variable|from_literal|status|hasher|hash|form|input|reset|check\w{0,5}|context))$"
)
_HARMLESS = (
    r"(?i)(?:none|null|nil|true|false|undefined|optional|required|string|str|int|bool|bytes|text"
    r"|any"
    r"|self|lambda|invalid|incorrect|missing|wrong|empty|expired|not|is|was|and|or|if|in|for|the"
    r"|a|to"
    r"|password\d?|passwd|secret|token|pass|user|username|test|example|dummy|changeme|foo|bar|key"
    r"|value"
    r"|type|field|prompt|default|hidden|env|file|stdin|auto|basic|bearer|\*+|x{3,}|\.{2,}|-+|_+"
    r"|\d{1,5}"
    r"|\[?redacted\S*|<.*|[$%{(\[@&].*|your[_-].*|my[_-].*|process\.env.*|os\.environ.*|\w+\(.*"
    r"|env\..*"
    r"|settings\..*|config\..*|self\..*|args\..*|request\..*|/[\w./-]*|\.{0,2}/[\w./-]*|https?:.*"
    r"|\W+)$"
)
_STRONG = r"(?i)passw|pwd|passphrase|secret|_pass|^pass"
_BASE64 = r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{24,65536}+={0,2}(?![A-Za-z0-9+/_-])"


_TOKEN_WORDS = frozenset(word for rule in _TOKENS for word in rule.keywords)
_HEADER_WORDS = frozenset(word for rule in _HEADERS for word in rule.keywords)


def redact(text: str) -> str:
    """The text with every secret replaced by a placeholder that tells its kind."""
    text = _without_marked(text)
    text = re.sub(_OPTION, _given, text) if " -" in text else text
    return re.sub(_BASE64, _encoded, _without_named(text))


def _without_marked(text: str) -> str:
    """Without the secrets that their own form or a header gives away."""
    held = _held(_TOKEN_WORDS, text)
    for rule in _TOKENS:
        if not held.isdisjoint(rule.keywords):
            before, text = text, re.sub(rule.pattern, f"[REDACTED:{rule.kind}]", text)
            held = held if text == before else _held(_TOKEN_WORDS, text)
    held = _held(_HEADER_WORDS, text.lower())
    for rule in _HEADERS:
        if not held.isdisjoint(rule.keywords):
            text = re.sub(rule.pattern, _keeping_head(rule.kind), text)
    return text


def _held(words: Iterable[str], text: str) -> set[str]:
    return {word for word in words if word in text}


def _keeping_head(kind: str) -> str:
    tail = "@" if kind == "userinfo" else ""
    return rf"\g<1>[REDACTED:{kind}]{tail}"


def _given(found: re.Match[str]) -> str:
    """A password that a command line gives to a program that takes one there."""
    line = found.string[max(0, found.start() - 200) : found.start()].rsplit("\n", 1)[-1]
    value, option = found["value"], found["option"]
    user = max(line.rfind(name) for name in _USERS[option])
    if user < 0 or "|" in line[user:] or ";" in line[user:]:
        return found[0]
    if option in {"-u", "--user"}:
        value = value.partition(":")[2]
    return found[0][: -len(value)] + "[REDACTED:password]" if value else found[0]


def _without_named(text: str) -> str:
    """Without the values that a telling name is set to: `DB_PASSWORD=…`, `--token …`."""
    kept: list[str] = []
    last = 0
    for core in re.finditer(_CORE, _lower(text)):
        found = _set_to(text, core) if core.start() >= last else None
        if found and _is_secret(core[0], found):
            kind = "password" if re.search(_STRONG, core[0]) else "secret"
            kept += (text[last : found.start("value")], f"[REDACTED:{kind}]")
            last = found.end("value")
    return "".join((*kept, text[last:]))


def _set_to(text: str, core: re.Match[str]) -> re.Match[str] | None:
    """What follows a telling name, if it is set to something there."""
    start, end = core.span()
    if core[0] == "key" and not _is_telling(text[max(0, start - 12) : start].lower()):
        return None
    found = re.match(_SET, text, end)
    if found or text[max(0, start - 1) : start] != "-":
        return found
    return re.match(_FLAGGED, text, end)


def _is_telling(before: str) -> bool:
    """Whether these words before `key` make it one that opens something."""
    return before.endswith("_") or before.rstrip(" _.-").endswith(_KEYS)


def _lower(text: str) -> str:
    """In lower case and of the same length: `İ` would become two characters."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower()[0] for c in text)


def _is_secret(name: str, found: re.Match[str]) -> bool:
    """Whether name and value both speak of a secret."""
    value, by = found["value"].rstrip(".:"), found["by"]
    if re.search(_NO_SECRET_NAME, found["rest"]) or re.fullmatch(_HARMLESS, value):
        return False
    if by in {" ", " is "} or "\n" in by or not re.search(_STRONG, name):
        return _is_random(value)
    is_quoted = bool(found["quote"])
    is_set = "==" not in by and (is_quoted or " " not in by)
    return len(value) >= 4 and ((is_set and not _is_code(value, is_quoted)) or _is_random(value))


def _is_code(value: str, is_quoted: bool) -> bool:
    """An expression rather than a value: `get_password`, `user.secret`, `str(x)`."""
    if is_quoted:
        return False
    return bool(re.fullmatch(r"[A-Za-z_]\w*(?:[.(\[:].*)?", value)) and not re.search(r"\d", value)


def _is_random(value: str) -> bool:
    """Letters and digits mixed as a person does not write them."""
    if len(value) < 8 or re.search(r"[(){}\[\]]", value) or re.fullmatch(r"[a-z_.]+\d?", value):
        return False
    if re.fullmatch(
        r"v?\d+(?:[.:/-]\d+)*\w?|[\w-]+\.(?:py|js|ts|json|txt|md|ya?ml|toml|go|rs|java)", value
    ):
        return False
    digits = sum(c.isdigit() for c in value)
    if digits and digits < len(value):
        return len(re.findall(r"\d++|[A-Z]++|[a-z]++", value)) >= 3 or len(value) >= 16
    return len(value) >= 16 and len(re.findall(r"[A-Z]++|[a-z]++", value)) >= 6


def _encoded(found: re.Match[str]) -> str:
    """A base64 text that hides a secret, replaced."""
    try:
        plain = a2b_base64(found[0] + "=" * (-len(found[0]) % 4)).decode("ascii")
    except (NotBase64, UnicodeDecodeError):
        return found[0]
    hides = plain.isprintable() or "\n" in plain
    return (
        "[REDACTED:base64]"
        if hides and _without_named(_without_marked(plain)) != plain
        else found[0]
    )
