"""Secrets that are recognized by their form: one row per kind, by provider.

Every text that a rule matches contains one of its keywords. Patterns are linear: runs are
possessive or bounded.
"""

from __future__ import annotations

from typing import NamedTuple

BREAK = r"(?:\\?\r?\n[ \t]{0,8})?"  # a terminal or an editor may have wrapped the token


LONG = "<long>"  # instead of a keyword: the rule is tried on very long words
# A digit, or cases that change as in few names: it tells a random word from a name.
_RANDOM = r"(?:\d|[a-z][A-Z][a-z]?[A-Z])"
VERY_LONG = 24  # no rule for very long words matches a shorter one


class SecretKind(NamedTuple):
    """One kind of secret; the whole match is replaced."""

    kind: str
    keywords: tuple[str, ...]
    pattern: str


def _long(chars: str, least: int) -> str:
    """At least `least` of the characters, perhaps wrapped over several lines."""
    is_random = rf"(?=[{chars}]{{0,60}}{_RANDOM})"
    continuation = rf"\\?\r?\n[ \t]{{0,8}}{is_random}[{chars}]{{16,}}+(?![.:(/{chars}])"
    return rf"(?:{BREAK}[{chars}]){{{least}}}[{chars}]*+(?:{continuation})*"


_W = r"\w-"
_ALNUM = "A-Za-z0-9"
_HEX = "0-9a-fA-F"
_DOTTED = r"\w.-"
_B64 = r"\w+/=-"
_START = r"(?<![A-Za-z0-9])"


def _by_prefix(kind: str, prefixes: str, chars: str, least: int) -> SecretKind:
    """Tokens that a provider marks by a prefix."""
    words = tuple(prefixes.split())
    head = "|".join(word.replace(".", r"\.").replace("$", r"\$") for word in words)
    return SecretKind(kind, words, rf"{_START}(?:{head}){_long(chars, least)}")


def _by_shape(kind: str, keywords: str, pattern: str) -> SecretKind:
    """Tokens whose parts have a certain length."""
    return SecretKind(kind, tuple(keywords.split()), _START + pattern)


# fmt: off
PREFIXED = (
    _by_prefix("github", "ghp_ gho_ ghu_ ghs_ ghr_", _DOTTED, 30),
    _by_prefix("github", "github_pat_", _W, 22),
    _by_prefix("gitlab", "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glagent- gloas- glffct- glimt- glwt- GR1348941", _DOTTED, 20),
    _by_prefix("anthropic", "sk-ant-", _W, 20),
    _by_prefix("openai", "sk-proj- sk-svcacct- sk-admin- sk-None-", _W, 20),
    _by_prefix("openrouter", "sk-or-", _W, 20),
    _by_prefix("langfuse", "sk-lf- pk-lf-", _W, 20),
    _by_prefix("aws", "ABSK bedrock-api-key-", r"A-Za-z0-9+/=", 28),
    _by_prefix("aws", "amzn.mws.", "a-z0-9-", 30),
    _by_prefix("aws", "da2-", "a-z0-9", 26),
    _by_prefix("alibaba", "LTAI", _ALNUM, 12),
    _by_prefix("tencent", "AKID", _ALNUM, 32),
    _by_prefix("volcengine", "AKLT", _ALNUM, 32),
    _by_prefix("baidu", "bce-v3/ALTAK-", r"\w/-", 40),
    _by_prefix("google", "ya29. GOCSPX-", _DOTTED, 20),
    _by_prefix("google", "1//0", _W, 40),
    _by_prefix("stripe", "whsec_", r"A-Za-z0-9+/=", 20),
    _by_prefix("npm", "npm_", _ALNUM, 30),
    _by_prefix("nuget", "oy2", "a-z0-9", 43),
    _by_prefix("pypi", "pypi-", _W, 50),
    _by_prefix("crates", "cio", _ALNUM, 32),
    _by_prefix("huggingface", "hf_ api_org_", _ALNUM, 30),
    _by_prefix("digitalocean", "dop_v1_ doo_v1_ dor_v1_ dos_v1_", "a-f0-9", 40),
    _by_prefix("shopify", "shpat_ shpca_ shppa_ shpss_ shptka_", _HEX, 32),
    _by_prefix("square", "sq0 EAAA", _W, 22),
    _by_prefix("vault", "hvs. hvb. hvr.", _W, 24),
    _by_prefix("doppler", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", _DOTTED, 30),
    _by_prefix("linear", "lin_api_ lin_oauth_", _ALNUM, 30),
    _by_prefix("notion", "ntn_ secret_", _ALNUM, 40),
    _by_prefix("figma", "figd_ figdr_ figo_ figu_", _W, 30),
    _by_prefix("postman", "PMAK- PMAT-", _W, 26),
    _by_prefix("newrelic", "NRAK- NRII- NRJS- NRBR-", _W, 16),
    _by_prefix("grafana", "glc_ glsa_", r"A-Za-z0-9+/=_", 30),
    _by_prefix("grafana", "eyJrIjoi", r"A-Za-z0-9+/=", 40),
    _by_prefix("sentry", "sntrys_ sntryu_ sntrya_ sntryi_", _B64, 30),
    _by_prefix("planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"\w.=-", 30),
    _by_prefix("supabase", "sbp_ sb_secret_", _W, 20),
    _by_prefix("fly", "fo1_ fm1_ fm1a_ fm1r_ fm2_", _B64, 30),
    _by_prefix("atlassian", "ATATT3 ATCTT3 ATBB BBDC-", r"\w=-", 24),
    _by_prefix("age", "AGE-SECRET-KEY-1", "A-Z0-9", 40),
    _by_prefix("groq", "gsk_", _ALNUM, 24),
    _by_prefix("replicate", "r8_", _ALNUM, 30),
    _by_prefix("perplexity", "pplx-", _ALNUM, 30),
    _by_prefix("xai", "xai-", _ALNUM, 40),
    _by_prefix("cerebras", "csk-", _ALNUM, 30),
    _by_prefix("tavily", "tvly-", _W, 20),
    _by_prefix("langsmith", "lsv2_pt_ lsv2_sk_ ls__", _W, 30),
    _by_prefix("pinecone", "pcsk_", _W, 30),
    _by_prefix("nvidia", "nvapi-", _W, 40),
    _by_prefix("fireworks", "fw_", _ALNUM, 20),
    _by_prefix("together", "tgp_v1_", _W, 30),
    _by_prefix("jina", "jina_", _ALNUM, 40),
    _by_prefix("firecrawl", "fc-", "a-f0-9", 32),
    _by_prefix("apify", "apify_api_", _ALNUM, 30),
    _by_prefix("e2b", "e2b_", "a-f0-9", 32),
    _by_prefix("resend", "re_", r"\w", 30),
    _by_prefix("docker", "dckr_pat_ dckr_oat_", _W, 20),
    _by_prefix("docker", "SWMTKN-1- SWMKEY-1-", _W, 30),
    _by_prefix("heroku", "HRKU-", _W, 30),
    _by_prefix("artifactory", "AKCp cmVmd", _ALNUM, 50),
    _by_prefix("rubygems", "rubygems_", "a-f0-9", 40),
    _by_prefix("pulumi", "pul-", "a-f0-9", 40),
    _by_prefix("facebook", "EAACEdEose0cBA", _ALNUM, 10),
    _by_prefix("facebook", "IGQVJ", r"\w=-", 60),
    _by_prefix("facebook", "EAA", _ALNUM, 80),
    _by_prefix("easypost", "EZAK EZTK", _ALNUM, 50),
    _by_prefix("brevo", "xkeysib- xsmtpsib-", r"a-zA-Z0-9-", 50),
    _by_prefix("typeform", "tfp_", r"\w.=-", 40),
    _by_prefix("buildkite", "bkua_ bkct_ bkaj_", "a-z0-9", 40),
    _by_prefix("circleci", "CCIPAT_ CCIPRJ_", r"\w", 40),
    _by_prefix("1password", "ops_eyJ", _B64, 80),
    _by_prefix("openshift", "sha256~", _W, 40),
    _by_prefix("prefect", "pnu_ pnb_", _ALNUM, 30),
    _by_prefix("readme", "rdme_", _ALNUM, 60),
    _by_prefix("shippo", "shippo_live_ shippo_test_", _HEX, 40),
    _by_prefix("dropbox", "sl.", _DOTTED, 70),
    _by_prefix("clojars", "CLOJARS_", _ALNUM, 50),
    _by_prefix("flutterwave", "FLWSECK FLWPUBK", r"\w-", 12),
    _by_prefix("adobe", "p8e-", _ALNUM, 32),
    _by_prefix("cloudflare", "cfat_ cfut_ cfk_", _ALNUM, 40),
    _by_prefix("contentful", "CFPAT-", _W, 40),
    _by_prefix("duffel", "duffel_test_ duffel_live_", r"\w=-", 40),
    _by_prefix("frameio", "fio-u-", r"\w=-", 60),
    _by_prefix("infracost", "ico-", _ALNUM, 32),
    _by_prefix("intra42", "s-s4t2ud- s-s4t2af-", "a-f0-9", 60),
    _by_prefix("scalingo", "tk-us-", _W, 40),
    _by_prefix("settlemint", "sm_aat_ sm_pat_ sm_sat_", _ALNUM, 16),
    _by_prefix("sourcegraph", "sgp_ slk_", r"\w", 40),
    _by_prefix("sonar", "squ_ sqp_ sqa_", "a-f0-9", 40),
    _by_prefix("octopus", "API-", "A-Z0-9", 25),
    _by_prefix("defined", "dnkey-", r"\w=-", 60),
    _by_prefix("databricks", "dkea dose", "a-f0-9", 32),
    _by_prefix("akamai", "akab-", r"a-z0-9-", 30),
    _by_prefix("braintree", "access_token$production$ access_token$sandbox$", "a-z0-9$", 40),
    _by_prefix("plaid", "access-sandbox- access-development- access-production-", "a-f0-9-", 32),
    _by_prefix("tailscale", "tskey-", r"\w-", 24),
    _by_prefix("yandex", "AQVN YCM YCN YCP y0_", _W, 35),
    _by_prefix("hubspot", "pat-na1- pat-eu1-", "a-f0-9-", 36),
    _by_prefix("launchdarkly", "sdk- mob-", "a-f0-9-", 36),
    _by_prefix("posthog", "phc_ phx_ phs_", _ALNUM, 32),
    _by_prefix("pinterest", "pina_", _ALNUM, 32),
    _by_prefix("devcycle", "dvc_server_ dvc_client_ dvc_mobile_", r"\w-", 24),
    _by_prefix("mailersend", "mlsn.", "a-f0-9", 40),
    _by_prefix("neon", "napi_", "a-z0-9", 40),
    _by_prefix("dbt", "dbtc_ dbtu_ dbts_", r"\w=-", 24),
    _by_prefix("vercel", "vcp_ vci_ vca_ vcr_ vck_", _ALNUM, 24),
    _by_prefix("razorpay", "rzp_live_ rzp_test_", _ALNUM, 14),
    _by_prefix("wakatime", "waka_", "a-f0-9-", 32),
    _by_prefix("axiom", "xaat- xapt-", "a-f0-9-", 32),
    _by_prefix("honeycomb", "hcaik_ hcbik_ hcxik_ hcalk_", "a-z0-9", 30),
    _by_prefix("inngest", "signkey-prod- signkey-test- signkey-branch-", "a-f0-9", 32),
    _by_prefix("logfire", "pylf_v1_", _W, 30),
    _by_prefix("mercury", "secret-token:mercury_", r"\w", 20),
    _by_prefix("workato", "wrkatp- wrkaus- wrkaeu-", _B64, 30),
    _by_prefix("riot", "RGAPI-", "a-f0-9-", 32),
    _by_prefix("wundergraph", "cosmo_", "a-f0-9", 32),
    _by_prefix("salesforce", "3MVG9", r"\w.", 60),
    _by_prefix("ntlm", "TlRMTVNTUAA", r"A-Za-z0-9+/=", 20),
    _by_prefix("zuplo", "zpka_", r"\w", 30),
    _by_prefix("paseto", "v1.public. v1.local. v2.public. v2.local. v3.public. v3.local. v4.public. v4.local.", _DOTTED, 15),
    _by_prefix("paserk", "k1.local. k2.local. k3.local. k4.local. k1.secret. k2.secret. k3.secret. k4.secret. k1.local-pw. k2.local-pw. k3.local-pw. k4.local-pw. k1.secret-pw. k2.secret-pw. k3.secret-pw. k4.secret-pw.", r"\w-", 15),
)

SHAPED = (
    _by_shape("openai", "sk-", rf"sk-(?=[a-zA-Z]{{0,60}}{_RANDOM}){_long(_ALNUM, 20)}"),
    _by_shape("openai", "T3BlbkFJ", rf"sk-{_long(_W, 20)}"),
    _by_shape("elevenlabs", LONG, r"sk_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{29,64}\b"),
    _by_shape("aws", "AKIA ASIA ABIA ACCA A3T AGPA AIDA AROA ANPA ANVA AIPA APKA ASCA", rf"(?:A[KSBC][ICI]A|A3T[A-Z0-9]|A(?:GP|ID|RO|NP|NV|IP|PK|SC)A)(?:{BREAK}[A-Z0-9]){{16}}(?![A-Z0-9])"),
    _by_shape("google", "AIza", rf"AIza(?:{BREAK}[\w-]){{35}}"),
    _by_shape("slack", "xox xapp-", rf"(?:xox[a-z](?:[.-]xox[bp])?|xapp)-{_long(_W, 10)}"),
    SecretKind("slack", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,}+"),
    SecretKind("teams", ("webhook.office.com",), r"\w{1,63}\.webhook\.office\.com/webhookb2/[\w@/-]{40,}+"),
    _by_shape("stripe", "_live_ _test_ _prod_", rf"[srpm]k_(?:live|test|prod)_{_long(_ALNUM, 10)}"),
    _by_shape("lob", LONG, r"(?:live|test)_(?:pub_)?[a-f0-9]{31,35}(?![\w-])"),
    _by_shape("gocardless", LONG, r"live_(?=[\w=-]{0,40}\d)(?=[\w=-]{0,40}[A-Z])[\w=-]{40}(?![\w-])"),
    _by_shape("sendgrid", "SG.", rf"SG\.(?:{_long(_W, 16)}\.{_long(_W, 16)}|[\w=.-]{{66}}(?![\w-]))"),
    _by_shape("mailgun", "key-", rf"(?:pub)?key-(?=[a-z]{{0,31}}\d)(?:{BREAK}[0-9a-z]){{32}}(?![0-9a-z])"),
    _by_shape("mailgun", LONG, r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f-])"),
    SecretKind("mailchimp", ("-us",), r"(?<![0-9a-zA-Z_])(?=[a-z]{0,31}\d)[0-9a-zA-Z_]{32}-us\d{1,2}\b"),
    _by_shape("twilio", "SK", rf"SK(?:{BREAK}[0-9a-fA-F]){{32}}(?![0-9a-fA-F])"),
    _by_shape("databricks", "dapi", rf"dapi(?:{BREAK}[0-9a-f]){{32}}(?:-\d)?"),
    _by_shape("discord", LONG, r"[MNO][A-Za-z0-9]{23,27}\.[\w-]{6}\.[\w-]{27,40}"),
    SecretKind("discord", ("/api/webhooks/",), r"/api/webhooks/\d{10,25}/[\w-]{30,}+"),
    SecretKind("telegram", (LONG,), rf"(?<!\d)\d{{8,12}}:(?=[A-Za-z_-]{{0,34}}{_RANDOM})(?=[\da-z_-]{{0,34}}[A-Z])[\w-]{{34,36}}(?![\w-])"),
    SecretKind("terraform", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,}+"),
    _by_shape("vault", LONG, r"s\.(?=[A-Za-z]{0,23}\d)[A-Za-z0-9]{24}(?![\w.(-])"),
    _by_shape("dynatrace", "dt0", rf"dt0[a-z]\d{{2}}\.{_long(_DOTTED, 40)}"),
    _by_shape("airtable", LONG, r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    _by_shape("harness", "pat. sat.", r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    _by_shape("1password", "A3-", r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    _by_shape("authress", ".acc", r"(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-][A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120}"),
    _by_shape("clickhouse", "4b1d", r"4b1d(?=[a-f0-9]{0,37}[g-zA-Z])[A-Za-z0-9]{38}(?![A-Za-z0-9])"),
    _by_shape("cloudflare", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,200}"),
    _by_shape("maxmind", "_mmk", r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    _by_shape("mapbox", "pk. sk.", r"[ps]k\.[A-Za-z0-9_-]{60,}+\.[\w-]{20,}+"),
    _by_shape("facebook", LONG, r"\d{12,18}\|[\w-]{24,40}(?![\w-])"),
    _by_shape("twitter", LONG, r"(?<![\d-])\d{15,25}-(?=[A-Za-z]{0,39}\d)[A-Za-z0-9]{20,40}(?![\w-])"),
    _by_shape("twitter", "AAAAAAAAAAAAAAAAAAAAA", r"A{20,26}(?=[A-Za-z%]{0,60}\d)[A-Za-z0-9%]{40,200}+"),
    _by_shape("dropbox", LONG, r"(?=[a-zA-Z]{0,11}\d)[A-Za-z0-9]{10,12}A{9,11}[\w=-]{40,60}(?![\w-])"),
    _by_shape("newrelic", "NRAL", r"[0-9a-z]{5}[0-9a-f]{31}NRAL\b"),
    _by_shape("yandex", "t1.", r"t1\.[\w-]{8,1000}={0,2}\.[\w-]{80,100}={0,2}"),
    _by_shape("asana", LONG, r"[01]/\d{12,20}(?:/\d{12,20})?:[a-f0-9]{32}"),
    _by_shape("telnyx", "KEY0", r"KEY0[0-9A-F]{24,60}_[\w-]{16,40}"),
    _by_shape("nats", LONG, r"S[ACNOPUX](?=[A-Z]{0,39}[2-7])[A-Z2-7]{40,200}(?![A-Z0-9])"),
    SecretKind("gitlab", ("_gitlab_session=",), r"_gitlab_session=[\w-]{20,64}"),
    _by_shape("sidekiq", "CONTRIBSYS", r"(?i:BUNDLE_(?:ENTERPRISE|GEMS)__CONTRIBSYS__COM)[\"']?\s{0,4}[:=]{1,2}\s{0,4}[\"']?[a-f0-9]{8}:[a-f0-9]{8}"),
    _by_shape("azure", LONG, r"[\w~.]{3}\dQ~[\w~.-]{31,34}"),
    _by_shape("azure", "JQQJ9", r"[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{10,40}"),
    _by_shape("htpasswd", "$", r"\$(?:apr1|2[abxy]|[156]|y|argon2id?)\$[\w./$=,+-]{20,200}"),
    SecretKind(
        "jwt",
        ("eyJ", "eyA", "ewo"),
        rf"(?<![\w-])e(?:yJ|yA|wo){_long(_W, 10)}{BREAK}\.{BREAK}[\w-]{{8,}}+(?:{BREAK}\.{BREAK}[\w=-]*+){{0,3}}",
    ),
    _by_shape("jwt", "eyJ", r"eyJ(?!2ZXJzaW9u)(?=[A-Za-z]{0,60}\d)[A-Za-z0-9_-]{60,}+={0,2}(?![\w/+])"),
    _by_shape("jwt", "ZXlK", r"ZXlK[A-Za-z0-9/_+\r\n-]{40,8000}+={0,2}"),
    _by_shape("private-key", "LS0tLS1CRUdJTi", r"LS0tLS1CRUdJTi[A-Za-z0-9+/\r\n]{40,20000}+={0,2}"),
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
# Whether any rule for very long words matches; together they take a quarter of the time.
_OF_LONG = [rule.pattern for rule in KINDS if LONG in rule.keywords]
_STARTED = "|".join(one.removeprefix(_START) for one in _OF_LONG if one.startswith(_START))
_OTHERS = "".join(f"|{one}" for one in _OF_LONG if not one.startswith(_START))
ANY_LONG = f"{_START}(?:{_STARTED}){_OTHERS}"
