"""Secrets that are recognized by their form: one row per kind, by provider.

Every text that a rule matches contains one of its keywords. Patterns are linear: runs are
possessive or bounded.
"""

from __future__ import annotations

import re
from typing import NamedTuple

BREAK = r"(?:\\?\r?\n[ \t]{0,8})?"  # a terminal or an editor may have wrapped the token


LONG = "<long>"  # instead of a keyword: the rule is tried on very long words
_LONG_WORD = r"[\w-]{24}"
_LEAST, _WRAPPED = 14, 6  # minimum characters of a possible token, and of one that is wrapped


class SecretKind(NamedTuple):
    """One kind of secret; the whole match is replaced."""

    kind: str
    keywords: tuple[str, ...]
    pattern: str


def _long(chars: str, least: int) -> str:
    """At least `least` of the characters, perhaps wrapped over several lines."""
    continuation = rf"\\?\r?\n[ \t]{{0,8}}(?=[{chars}]{{0,60}}\d)[{chars}]{{16,}}+(?![.:(/{chars}])"
    return rf"(?:{BREAK}[{chars}]){{{least}}}[{chars}]*+(?:{continuation})*"


_W = r"\w-"
_ALNUM = "A-Za-z0-9"
_HEX = "0-9a-fA-F"
_DOTTED = r"\w.-"
_B64 = r"\w+/=-"
_START = r"(?<![A-Za-z0-9])"


def _prefixed(kind: str, prefixes: str, chars: str, least: int) -> SecretKind:
    """Tokens that a provider marks by a prefix."""
    words = tuple(prefixes.split())
    head = "|".join(word.replace(".", r"\.").replace("$", r"\$") for word in words)
    return SecretKind(kind, words, rf"{_START}(?:{head}){_long(chars, least)}")


def _shaped(kind: str, keywords: str, pattern: str) -> SecretKind:
    """Tokens whose parts have a certain length."""
    return SecretKind(kind, tuple(keywords.split()), _START + pattern)


# fmt: off
PREFIXED = (
    _prefixed("github", "ghp_ gho_ ghu_ ghs_ ghr_", _DOTTED, 30),
    _prefixed("github", "github_pat_", _W, 22),
    _prefixed("gitlab", "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glagent- gloas- glffct- glimt- glwt- GR1348941", _DOTTED, 20),
    _prefixed("anthropic", "sk-ant-", _W, 20),
    _prefixed("openai", "sk-proj- sk-svcacct- sk-admin- sk-None-", _W, 20),
    _prefixed("openrouter", "sk-or-", _W, 20),
    _prefixed("langfuse", "sk-lf- pk-lf-", _W, 20),
    _prefixed("aws", "ABSK bedrock-api-key-", r"A-Za-z0-9+/=", 28),
    _prefixed("aws", "amzn.mws.", "a-z0-9-", 30),
    _prefixed("aws", "da2-", "a-z0-9", 26),
    _prefixed("alibaba", "LTAI", _ALNUM, 12),
    _prefixed("tencent", "AKID", _ALNUM, 32),
    _prefixed("volcengine", "AKLT", _ALNUM, 32),
    _prefixed("baidu", "bce-v3/ALTAK-", r"\w/-", 40),
    _prefixed("google", "ya29. GOCSPX-", _DOTTED, 20),
    _prefixed("google", "1//0", _W, 40),
    _prefixed("stripe", "whsec_", r"A-Za-z0-9+/=", 20),
    _prefixed("npm", "npm_", _ALNUM, 30),
    _prefixed("nuget", "oy2", "a-z0-9", 43),
    _prefixed("pypi", "pypi-", _W, 50),
    _prefixed("crates", "cio", _ALNUM, 32),
    _prefixed("huggingface", "hf_ api_org_", _ALNUM, 30),
    _prefixed("digitalocean", "dop_v1_ doo_v1_ dor_v1_ dos_v1_", "a-f0-9", 40),
    _prefixed("shopify", "shpat_ shpca_ shppa_ shpss_ shptka_", _HEX, 32),
    _prefixed("square", "sq0 EAAA", _W, 22),
    _prefixed("vault", "hvs. hvb. hvr.", _W, 24),
    _prefixed("doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", _DOTTED, 30),
    _prefixed("linear", "lin_api_ lin_oauth_", _ALNUM, 30),
    _prefixed("notion", "ntn_ secret_", _ALNUM, 40),
    _prefixed("figma", "figd_ figdr_ figo_ figu_", _W, 30),
    _prefixed("postman", "PMAK- PMAT-", _W, 26),
    _prefixed("newrelic", "NRAK- NRII- NRJS- NRBR-", _W, 16),
    _prefixed("grafana", "glc_ glsa_", r"A-Za-z0-9+/=_", 30),
    _prefixed("grafana", "eyJrIjoi", r"A-Za-z0-9+/=", 40),
    _prefixed("sentry", "sntrys_ sntryu_ sntrya_ sntryi_", _B64, 30),
    _prefixed("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"\w.=-", 30),
    _prefixed("supabase", "sbp_ sb_secret_", _W, 20),
    _prefixed("fly", "fo1_ fm1_ fm1a_ fm1r_ fm2_", _B64, 30),
    _prefixed("atlassian", "ATATT3 ATCTT3 ATBB BBDC-", r"\w=-", 24),
    _prefixed("age", "AGE-SECRET-KEY-1", "A-Z0-9", 40),
    _prefixed("groq", "gsk_", _ALNUM, 24),
    _prefixed("replicate", "r8_", _ALNUM, 30),
    _prefixed("perplexity", "pplx-", _ALNUM, 30),
    _prefixed("xai", "xai-", _ALNUM, 40),
    _prefixed("cerebras", "csk-", _ALNUM, 30),
    _prefixed("tavily", "tvly-", _W, 20),
    _prefixed("langsmith", "lsv2_pt_ lsv2_sk_ ls__", _W, 30),
    _prefixed("pinecone", "pcsk_", _W, 30),
    _prefixed("nvidia", "nvapi-", _W, 40),
    _prefixed("fireworks", "fw_", _ALNUM, 20),
    _prefixed("together", "tgp_v1_", _W, 30),
    _prefixed("jina", "jina_", _ALNUM, 40),
    _prefixed("firecrawl", "fc-", "a-f0-9", 32),
    _prefixed("apify", "apify_api_", _ALNUM, 30),
    _prefixed("e2b", "e2b_", "a-f0-9", 32),
    _prefixed("resend", "re_", r"\w", 30),
    _prefixed("docker", "dckr_pat_ dckr_oat_", _W, 20),
    _prefixed("docker", "SWMTKN-1- SWMKEY-1-", _W, 30),
    _prefixed("heroku", "HRKU-", _W, 30),
    _prefixed("artifactory", "AKCp cmVmd", _ALNUM, 50),
    _prefixed("rubygems", "rubygems_", "a-f0-9", 40),
    _prefixed("pulumi", "pul-", "a-f0-9", 40),
    _prefixed("facebook", "EAACEdEose0cBA", _ALNUM, 10),
    _prefixed("facebook", "IGQVJ", r"\w=-", 60),
    _prefixed("facebook", "EAA", _ALNUM, 80),
    _prefixed("easypost", "EZAK EZTK", _ALNUM, 50),
    _prefixed("brevo", "xkeysib- xsmtpsib-", r"a-zA-Z0-9-", 50),
    _prefixed("typeform", "tfp_", r"\w.=-", 40),
    _prefixed("buildkite", "bkua_ bkct_ bkaj_", "a-z0-9", 40),
    _prefixed("circleci", "CCIPAT_ CCIPRJ_", r"\w", 40),
    _prefixed("1password", "ops_eyJ", _B64, 80),
    _prefixed("openshift", "sha256~", _W, 40),
    _prefixed("prefect", "pnu_ pnb_", _ALNUM, 30),
    _prefixed("readme", "rdme_", _ALNUM, 60),
    _prefixed("shippo", "shippo_live_ shippo_test_", _HEX, 40),
    _prefixed("dropbox", "sl.", _DOTTED, 70),
    _prefixed("clojars", "CLOJARS_", _ALNUM, 50),
    _prefixed("flutterwave", "FLWSECK FLWPUBK", r"\w-", 12),
    _prefixed("adobe", "p8e-", _ALNUM, 32),
    _prefixed("cloudflare", "cfat_ cfut_ cfk_", _ALNUM, 40),
    _prefixed("contentful", "CFPAT-", _W, 40),
    _prefixed("duffel", "duffel_test_ duffel_live_", r"\w=-", 40),
    _prefixed("frameio", "fio-u-", r"\w=-", 60),
    _prefixed("infracost", "ico-", _ALNUM, 32),
    _prefixed("intra42", "s-s4t2ud- s-s4t2af-", "a-f0-9", 60),
    _prefixed("scalingo", "tk-us-", _W, 40),
    _prefixed("settlemint", "sm_aat_ sm_pat_ sm_sat_", _ALNUM, 16),
    _prefixed("sourcegraph", "sgp_ slk_", r"\w", 40),
    _prefixed("sonar", "squ_ sqp_ sqa_", "a-f0-9", 40),
    _prefixed("octopus", "API-", "A-Z0-9", 25),
    _prefixed("defined", "dnkey-", r"\w=-", 60),
    _prefixed("databricks", "dkea dose", "a-f0-9", 32),
    _prefixed("akamai", "akab-", r"a-z0-9-", 30),
    _prefixed("braintree", "access_token$production$ access_token$sandbox$", "a-z0-9$", 40),
    _prefixed("plaid", "access-sandbox- access-development- access-production-", "a-f0-9-", 32),
    _prefixed("tailscale", "tskey-", r"\w-", 24),
    _prefixed("yandex", "AQVN YCM YCN YCP y0_", _W, 35),
    _prefixed("hubspot", "pat-na1- pat-eu1-", "a-f0-9-", 36),
    _prefixed("launchdarkly", "sdk- mob-", "a-f0-9-", 36),
    _prefixed("posthog", "phc_ phx_ phs_", _ALNUM, 32),
    _prefixed("pinterest", "pina_", _ALNUM, 32),
    _prefixed("devcycle", "dvc_server_ dvc_client_ dvc_mobile_", r"\w-", 24),
    _prefixed("mailersend", "mlsn.", "a-f0-9", 40),
    _prefixed("neon", "napi_", "a-z0-9", 40),
    _prefixed("dbt", "dbtc_ dbtu_ dbts_", r"\w=-", 24),
    _prefixed("vercel", "vcp_ vci_ vca_ vcr_ vck_", _ALNUM, 24),
    _prefixed("razorpay", "rzp_live_ rzp_test_", _ALNUM, 14),
    _prefixed("wakatime", "waka_", "a-f0-9-", 32),
    _prefixed("axiom", "xaat- xapt-", "a-f0-9-", 32),
    _prefixed("honeycomb", "hcaik_ hcbik_ hcxik_ hcalk_", "a-z0-9", 30),
    _prefixed("inngest", "signkey-prod- signkey-test- signkey-branch-", "a-f0-9", 32),
    _prefixed("logfire", "pylf_v1_", _W, 30),
    _prefixed("mercury", "secret-token:mercury_", r"\w", 20),
    _prefixed("workato", "wrkatp- wrkaus- wrkaeu-", _B64, 30),
    _prefixed("riot", "RGAPI-", "a-f0-9-", 32),
    _prefixed("wundergraph", "cosmo_", "a-f0-9", 32),
    _prefixed("salesforce", "3MVG9", r"\w.", 60),
    _prefixed("ntlm", "TlRMTVNTUAA", r"A-Za-z0-9+/=", 20),
    _prefixed("zuplo", "zpka_", r"\w", 30),
    _prefixed("paseto", "v1.public. v1.local. v2.public. v2.local. v3.public. v3.local. v4.public. v4.local.", _DOTTED, 15),
    _prefixed("paserk", "k1.local. k2.local. k3.local. k4.local. k1.secret. k2.secret. k3.secret. k4.secret. k1.local-pw. k2.local-pw. k3.local-pw. k4.local-pw. k1.secret-pw. k2.secret-pw. k3.secret-pw. k4.secret-pw.", r"\w-", 15),
)

SHAPED = (
    _shaped("openai", "sk-", rf"sk-(?=[a-zA-Z]{{0,60}}\d){_long(_ALNUM, 20)}"),
    _shaped("openai", "T3BlbkFJ", rf"sk-{_long(_W, 20)}"),
    _shaped("elevenlabs", LONG, r"sk_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{29,64}\b"),
    _shaped("aws", "AKIA ASIA ABIA ACCA A3T AGPA AIDA AROA ANPA ANVA AIPA APKA ASCA", rf"(?:A[KSBC][ICI]A|A3T[A-Z0-9]|A(?:GP|ID|RO|NP|NV|IP|PK|SC)A)(?:{BREAK}[A-Z0-9]){{16}}(?![A-Z0-9])"),
    _shaped("google", "AIza", rf"AIza(?:{BREAK}[\w-]){{35}}"),
    _shaped("slack", "xox xapp-", rf"(?:xox[a-z](?:[.-]xox[bp])?|xapp)-{_long(_W, 10)}"),
    SecretKind("slack", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}+"),
    SecretKind("teams", ("webhook.office.com",), r"\w{1,63}\.webhook\.office\.com/webhookb2/[\w@/-]{40,}+"),
    _shaped("stripe", "_live_ _test_ _prod_", rf"[srpm]k_(?:live|test|prod)_{_long(_ALNUM, 10)}"),
    _shaped("lob", LONG, r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?![\w-])"),
    _shaped("gocardless", LONG, r"live_(?=[\w=-]{0,40}\d)(?=[\w=-]{0,40}[A-Z])[\w=-]{40}(?![\w-])"),
    _shaped("sendgrid", "SG.", rf"SG\.(?:{_long(_W, 16)}\.{_long(_W, 16)}|[\w=.-]{{66}}(?![\w-]))"),
    _shaped("mailgun", "key-", rf"(?:pub)?key-(?=[a-z]{{0,31}}\d)(?:{BREAK}[0-9a-z]){{32}}(?![0-9a-z])"),
    _shaped("mailgun", LONG, r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f-])"),
    SecretKind("mailchimp", ("-us",), r"(?<![0-9a-zA-Z_])(?=[a-z]{0,31}\d)[0-9a-zA-Z_]{32}-us\d{1,2}\b"),
    _shaped("twilio", "SK", rf"SK(?:{BREAK}[0-9a-fA-F]){{32}}(?![0-9a-fA-F])"),
    _shaped("databricks", "dapi", rf"dapi(?:{BREAK}[0-9a-f]){{32}}(?:-\d)?"),
    _shaped("discord", LONG, r"[MNO][A-Za-z0-9]{23,27}\.[\w-]{6}\.[\w-]{27,40}"),
    SecretKind("discord", ("/api/webhooks/",), r"/api/webhooks/\d{10,25}/[\w-]{30,}+"),
    SecretKind("telegram", (LONG,), r"(?<!\d)\d{8,12}:(?=[A-Za-z_-]{0,34}\d)(?=[\da-z_-]{0,34}[A-Z])[\w-]{34,36}(?![\w-])"),
    SecretKind("terraform", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}+"),
    _shaped("vault", LONG, r"s\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![\w.(-])"),
    _shaped("dynatrace", "dt0", rf"dt0[a-z]\d{{2}}\.{_long(_DOTTED, 40)}"),
    _shaped("airtable", LONG, r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _shaped("harness", "pat. sat.", r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    _shaped("1password", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    _shaped("authress", ".acc", r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120}"),
    _shaped("clickhouse", "4b1d", r"4b1d(?=[a-f0-9]{0,37}[g-zA-Z])[A-Za-z0-9]{38}(?![A-Za-z0-9])"),
    _shaped("cloudflare", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,200}"),
    _shaped("maxmind", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    _shaped("mapbox", "pk. sk.", r"[ps]k\.[A-Za-z0-9_-]{60,}+\.[\w-]{20,}+"),
    _shaped("facebook", LONG, r"\d{12,18}\|[\w-]{24,40}(?![\w-])"),
    _shaped("twitter", LONG, r"(?<![\d-])\d{15,25}-(?=[A-Za-z]{0,39}\d)[A-Za-z0-9]{20,40}(?![\w-])"),
    _shaped("twitter", "AAAAAAAAAAAAAAAAAAAAA", r"A{20,26}(?=[A-Za-z%]{0,60}\d)[A-Za-z0-9%]{40,200}+"),
    _shaped("dropbox", LONG, r"(?=[a-zA-Z]{0,11}\d)[A-Za-z0-9]{10,12}A{9,11}[\w=-]{40,60}(?![\w-])"),
    _shaped("newrelic", "NRAL", r"[0-9a-z]{5}[0-9a-f]{31}NRAL\b"),
    _shaped("yandex", "t1.", r"t1\.[\w-]{8,1000}={0,2}\.[\w-]{80,100}={0,2}"),
    _shaped("asana", LONG, r"[01]/\d{12,20}(?:/\d{12,20})?:[a-f0-9]{32}"),
    _shaped("telnyx", "KEY0", r"KEY0[0-9A-F]{24,60}_[\w-]{16,40}"),
    _shaped("nats", LONG, r"S[ACNOPUX](?=[A-Z]{0,39}[2-7])[A-Z2-7]{40,200}(?![A-Z0-9])"),
    SecretKind("gitlab", ("_gitlab_session=",), r"_gitlab_session=[\w-]{20,64}"),
    _shaped("sidekiq", "CONTRIBSYS", r"(?i:BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM)[\"']?\s{0,4}[:=]{1,2}\s{0,4}[\"']?[a-f0-9]{8}:[a-f0-9]{8}"),
    _shaped("azure", LONG, r"[\w~.]{3}\dQ~[\w~.-]{31,34}"),
    _shaped("azure", "JQQJ9", r"[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{10,40}"),
    _shaped("htpasswd", "$", r"\$(?:apr1|2[abxy]|[156]|y|argon2id?)\$[\w./$=,+-]{20,200}"),
    SecretKind(
        "jwt",
        ("eyJ", "eyA", "ewo"),
        rf"(?<![\w-])e(?:yJ|yA|wo){_long(_W, 10)}{BREAK}\.{BREAK}[\w-]{{8,}}+(?:{BREAK}\.{BREAK}[\w=-]*+){{0,3}}",
    ),
    _shaped("jwt", "eyJ", r"eyJ(?!2ZXJzaW9u)(?=[A-Za-z]{0,60}\d)[A-Za-z0-9_-]{60,}+={0,2}(?![\w/+])"),
    _shaped("jwt", "ZXlK", r"ZXlK[A-Za-z0-9/_+\r\n-]{40,8000}+={0,2}"),
    _shaped("private-key", "LS0tLS1CRUdJTi", r"LS0tLS1CRUdJTi[A-Za-z0-9+/\r\n]{40,20000}+={0,2}"),
    SecretKind(
        "private-key",
        ("PRIVATE KEY",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=[\\rn\s\"',+|>#*/]{0,16}"
        r"(?:[A-Za-z0-9+/=]{16}|Proc-Type|Comment|Version))(?:[^-]|-(?!----))*"
        r"(?:-----END [A-Z0-9 ]{0,60}-----)?",
    ),
    # The remainder of a key whose beginning was cut off.
    SecretKind(
        "private-key",
        ("PRIVATE KEY",),
        r"(?:\A|(?<=left out …))[A-Za-z0-9+/=\\\s]*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----",
    ),
    SecretKind(
        "private-key",
        ("PuTTY-User-Key",),
        r"PuTTY-User-Key-File-\d[^\n]*+\n(?:(?!PuTTY-User-Key)[^\n]*+\n){1,80}?"
        r"Private-MAC: [0-9a-f]{1,80}",
    ),
)
# fmt: on

# A short name, perhaps an environment, and a long random word: most new providers use this form.
COINED = (
    r"(?<![\w./+=-])(?P<name>[A-Za-z][A-Za-z0-9]{0,14})(?P<mark>[._-])"
    r"(?P<body>[A-Za-z0-9][\w=.-]{23,598}+)(?![/+])"
)
KINDS = (*PREFIXED, *SHAPED)


def long_words(text: str) -> str:
    """Words that may be tokens, or parts of a wrapped token."""
    words = {word for word in text.split() if len(word) >= _LEAST}
    ends = (line.rsplit(None, 1) for line in text.split("\n")[:-1])
    words.update(end[-1] for end in ends if end and _WRAPPED <= len(end[-1]) < _LEAST)
    return " ".join(words)


def has_long_word(words: str) -> bool:
    """Whether one of the words is longer than human words are."""
    return bool(re.search(_LONG_WORD, words))
