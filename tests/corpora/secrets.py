"""Secrets of every kind we know, made up by a fixed seed, and lines that only look like secrets.

No token stands here in full: each is put together when the tests run.
"""

from __future__ import annotations

import base64
import random
import string
from collections.abc import Iterator
from typing import NamedTuple

_LETTERS = string.ascii_letters
_ALNUM = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_UPPER = string.ascii_uppercase + string.digits
_URL = _ALNUM + "-_"
LEAST = 9  # characters of a secret that no random id holds by chance; six hexadecimal digits it may


class Leak(NamedTuple):
    """A text that holds a secret, and the part of it that must not survive."""

    kind: str
    text: str
    secret: str


# prefix, alphabet, length; what follows the prefix is what must go
_PREFIXED = [
    *[(f"gh{kind}_", _ALNUM, 36) for kind in "pousr"],
    ("github" + "_pat_", _ALNUM + "_", 82),
    *[(prefix, _URL, 20) for prefix in ("glpat-", "gldt-", "glrt-", "glptt-")],
    ("sk-" + "ant-api03-", _URL, 93),
    ("sk-" + "ant-oat01-", _URL, 93),
    ("sk-" + "proj-", _URL, 120),
    ("sk-" + "svcacct-", _URL, 100),
    ("sk-" + "or-v1-", _HEX, 64),
    ("sk-", _ALNUM, 48),
    *[(prefix, _UPPER, 16) for prefix in ("AKIA", "ASIA")],
    ("AIza", _URL, 35),
    ("ya29.", _URL, 60),
    ("GOCSPX-", _URL, 28),
    ("xoxb-", string.digits, 12),
    ("xoxp-1234567890-", _ALNUM, 32),
    ("xapp-1-", _ALNUM, 40),
    ("sk_live_", _ALNUM, 24),
    ("rk_test_", _ALNUM, 24),
    ("whsec_", _ALNUM, 32),
    ("npm_", _ALNUM, 36),
    ("pypi-AgEIcHlwaS5vcmc", _URL, 100),
    ("hf_", _LETTERS, 34),
    ("key-", _HEX, 32),
    ("SK", _HEX, 32),
    ("dop_v1_", _HEX, 64),
    ("shpat_", _HEX, 32),
    ("sq0atp-", _URL, 22),
    ("dapi", _HEX, 32),
    ("hvs.", _URL, 90),
    ("dp.pt.", _ALNUM, 43),
    ("lin_api_", _ALNUM, 40),
    ("ntn_", _ALNUM, 46),
    ("figd_", _URL, 40),
    ("PMAK-", _HEX, 59),
    ("NRAK-", _UPPER, 27),
    ("glc_", _ALNUM, 60),
    ("glsa_", _ALNUM, 41),
    ("sntrys_", _ALNUM, 60),
    ("pscale_tkn_", _URL, 43),
    ("sbp_", _HEX, 40),
    ("dt0c01.", _UPPER, 64),
    ("ATATT3", _URL, 180),
    ("AGE-SECRET-KEY-1", _UPPER, 58),
    ("gsk_", _ALNUM, 52),
    ("r8_", _ALNUM, 37),
    ("pplx-", _ALNUM, 48),
    ("xai-", _ALNUM, 80),
    ("tvly-", _ALNUM, 32),
    ("lsv2_pt_", _HEX, 42),
    ("pcsk_", _ALNUM, 60),
    ("dckr_pat_", _URL, 27),
    ("rubygems_", _HEX, 48),
    ("pul-", _HEX, 40),
    ("xkeysib-", _HEX, 64),
    ("sha256~", _URL, 43),
]

_SHAPES = [
    "{}",
    "token: {}",
    "export API_TOKEN={}",
    "curl -H 'Authorization: Bearer {}' https://api.example.com",
    'requests.get(url, headers={{"X-Api-Key": "{}"}})',
    "fatal: could not read from https://x-access-token:{}@git.example.com/a/b.git",
    "E   AssertionError: assert '{}' == None",
    '{{"token":"{}","user":7}}',
]

# A secret with nothing but its surroundings to tell it by.
_NAMED_SHAPES = [
    "password={}",
    "DB_PASSWORD={}",
    'password = "{}"',
    "export POSTGRES_PASSWORD='{}'",
    '"password": "{}"',
    '\\"db_password\\": \\"{}\\"',
    "PGPASSWORD={} psql -h db",
    "mysql -uroot -p{} shop",
    "sshpass -p {} ssh root@host",
    "curl -u admin:{} https://host/",
    "postgres://app:{}@db.internal:5432/shop",
    "redis://:{}@cache:6379/0",
    "amqp://guest:{}@mq//",
    "https://deploy:{}@git.example.com/x.git",
    "Server=tcp:db;User ID=sa;Password={};Encrypt=True",
    "client_secret: {}",
    "api_key={}",
    "apiKey: '{}'",
    "x-api-key: {}",
    "AccountKey={}==;EndpointSuffix=core",
    "aws_secret_access_key = {}",
    "Authorization: Basic {}",
    "Proxy-Authorization: Basic {}",
    "Cookie: sessionid={}; theme=dark",
    "Set-Cookie: auth={}; HttpOnly",
    "//registry.example.com/:_authToken={}",
    "machine api.example.com login bot password {}",
    "secret_key: '{}'",
    "SECRET_KEY={}",
    "--password {}",
    "--token={}",
    "ENCRYPTION_KEY={}",
    "api_key =\n    '{}'",
    "password: >-\n  {}",
    "The API key is {}",
    "https://host/path?access_token={}&x=1",
    "https://acc.blob/x?sv=2020&sig={}",
    "csrf_token={}",
    "passphrase: {}",
    'os.environ["JWT_SECRET"] = "{}"',
    "spring.datasource.password={}",
    "bot_token = '{}'",
]


# One way of every language and tool to give a name a value; `{i}` is the name, `{s}` the secret.
_SET_SHAPES = [
    '{i}Token="{s}"',
    "{i}Token = {s}",
    '{{\n    "{i}_token": "{s}"\n}}',
    '"{{\\"{i}_token\\":\\"{s}\\"}}"',
    '{{\n  "name": "{i}_token",\n  "value": "{s}"\n}}',
    "<{i}Token>{s}</{i}Token>",
    "<{i}Token>\n    {s}\n</{i}Token>",
    '<entry key="{i}Token" value="{s}" />',
    '<property name="{i}.token" value="{s}"/>',
    '<property name="{i}.password">{s}</property>',
    '<add key="ClearTextPassword" value="{s}" />',
    "{i}_token: {s}",
    "{i}_token: |\n  {s}",
    'string {i}Token = "{s}";',
    'var {i}Token string = "{s}"',
    "{i}Token := `{s}`",
    'var {i}Token: string = "{s}"',
    '${i}Token .= "{s}"',
    '${i}Token ??= "{s}"',
    '{i}_TOKEN ::= "{s}"',
    '{i}_TOKEN ?= "{s}"',
    '{i}_TOKEN += "{s}"',
    '  "{i}Token" => "{s}"',
    'System.setProperty("{i}_TOKEN", "{s}")',
    "os.putenv('{i}_TOKEN', '{s}')",
    "define('{i}_AUTH_KEY', '{s}');",
    "aws configure set aws_secret_access_key {s}",
    "setenv {i}_TOKEN {s}",
    "ENV {i}_TOKEN {s}",
    "npm config set //registry.example.com/:_authToken {s}",
    'gh secret set {i}_TOKEN --body "{s}"',
    "git clone https://{s}@host.example/x.git",
    "        - name: {i}_TOKEN\n          value: {s}",
    '        - name: {i}_TOKEN\n          value: "{s}"',
    '{{"name":"{i}_TOKEN","value":"{s}"}}',
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  {i}: {s}",
    'kind: Secret\nstringData:\n  user.conf: "{s}"',
    "--{i}-token {s}",
]
_NAMES = ("acme", "payments", "discord", "snyk", "shop")

# Passwords with what only quotes can hold.
_QUOTED_SHAPES = [
    'DB_PASSWORD="{}"',
    "export DB_PASSWORD='{}'",
    'password = "{}"',
    '"password": "{}"',
    "db.password: '{}'",
    "$password = '{}';",
    'config["secret"] = "{}"',
    "<password>{}</password>",
]
_QUOTED_SECRETS = [
    "Tr0ub4dor&3;xyzzy-Quux9",
    "value with spaces",
    "p@ss)w0rd}x|y,z",
    "correct horse battery staple",
    "a b,c)d}e|f",
    "semi;colon & ampersand 7",
]

# Formats that scanners list; what stands for a random character is upper case in the second part.
_LISTED = [
    ("sgp_", _HEX, 40),
    ("A3-", "", 0),
    ("LTAI", _ALNUM, 20),
    ("p8e-", _ALNUM, 32),
    ("EAAM", _ALNUM, 110),
    ("duffel_" + "test_", _URL, 43),
    ("fio-u-", _URL, 64),
    ("glffct-", _URL, 20),
    ("glimt-", _URL, 25),
    ("GR1348941", _URL, 20),
    ("eyJrIjoi", _ALNUM, 80),
    ("ico-", _ALNUM, 32),
    ("tk-us-", _URL, 48),
    ("sm_" + "pat_", _ALNUM, 16),
    ("s-s4t2ud-", _HEX, 64),
    ("API-", _UPPER, 26),
    ("cfat_", _ALNUM, 48),
    ("SWMTKN-1-", _ALNUM, 76),
    ("tskey-auth-", _ALNUM, 40),
    ("nvapi-", _URL, 64),
    ("rzp_" + "live_", _ALNUM, 14),
    ("dvc_" + "server_", _URL, 40),
    ("vcp_", _ALNUM, 56),
    ("xaat-", _HEX, 36),
]


def listed(seed: int = 5, *, each: int = 4) -> Iterator[Leak]:
    """Kinds that scanners know, bare, and every way of setting a name; passwords of any marks."""
    chance = random.Random(seed)
    for prefix, alphabet, length in _LISTED:
        for _ in range(each):
            yield _listed(chance, prefix, alphabet, length)
    for shape in _SET_SHAPES:
        for _ in range(each):
            body = _mixed(chance, chance.choice((20, 24, 32, 40)))
            yield Leak(shape, shape.format(i=chance.choice(_NAMES), s=body), body)
    for shape in _QUOTED_SHAPES:
        for secret in _QUOTED_SECRETS:
            yield Leak(shape, shape.format(secret), secret.split()[-1])


def _listed(chance: random.Random, prefix: str, alphabet: str, length: int) -> Leak:
    body = _word(chance, alphabet, length) if length else _account_key(chance)
    return Leak(prefix, f"called with {prefix}{body} and failed", body[4:])


def _account_key(chance: random.Random) -> str:
    return "-".join(_word(chance, _UPPER, size) for size in (6, 6, 5, 5, 5, 5))


def coined(seed: int = 13, *, kinds: int = 60, each: int = 4) -> Iterator[Leak]:
    """Kinds that no rule names: made-up providers whose tokens look as new ones do."""
    chance = random.Random(seed)
    for _ in range(kinds):
        name = _word(chance, string.ascii_lowercase, chance.randint(2, 8))
        middle = chance.choice(("", "_live", "_prod", "-v1", "_api", "_pat"))
        prefix = f"{name}{middle}{chance.choice('_-')}"
        length = chance.choice((32, 36, 40, 48, 64))
        for _ in range(each):
            body = _word(chance, _ALNUM, length)
            shape = chance.choice(_SHAPES)
            yield Leak("coined", shape.format(prefix + body), body)


# Names that are glued to a provider, say little, or simply stand before the secret.
_LOOSE_SHAPES = [
    "{i}KEY={s}",
    '{i}Key := "{s}"',
    "{i}Auth := {s}",
    "{i}ACCESS:{s}",
    "[DEBUG] Using Key={s}",
    "[DEBUG] Using {i} Key = {s}",
    'url := "https://api.{i}.example/v1/users?key={s}"',
    "<secret>{{{i} AQAAABAAA {s}}}</secret>",
    "<secret>{{AQAAABAAA {s}}}</secret>",
    "{i} token = '{s}' | '{s}'",
    "{i} token - '{s}'",
    "{i} SECRET {s}",
    "{i}TOKEN {s}",
    '"provision{i}Key": "{s}"',
    'password == "{s}"',
    "psexec \\\\host -u admin -p {s} cmd",
    '    {i}ApiKey:            "{s}",',
    '"{i} appSecret = "{s}"',
]
_LOOSE_NAMES = ("gauge", "briefly", "tally", "quarry", "nimbus", "octave", "fathom", "lattice")


def loose(seed: int = 17, *, each: int = 12) -> Iterator[Leak]:
    """Random values of the usual alphabets, set in ways that say little about them."""
    chance = random.Random(seed)
    alphabets = (_ALNUM, string.ascii_lowercase + string.digits, _UPPER, _HEX)
    for shape in _LOOSE_SHAPES:
        for _ in range(each):
            body = _word(chance, chance.choice(alphabets), chance.choice((32, 36, 40, 64)))
            yield Leak(shape, shape.format(i=chance.choice(_LOOSE_NAMES), s=body), body)
    for prefix in ("quarry_", "mdx_sa_sk_", "spo-", "scx-live-", "tally.v1_"):
        for _ in range(each):
            token = prefix + _word(chance, _URL, chance.choice((40, 48))) + "7"
            yield Leak(prefix, f"called with {token} and failed", token)
    for prefix in ("quarry_", "octave_", "nimbus_pat_"):
        for _ in range(each):
            body = _word(chance, _HEX, chance.choice((32, 40, 64)))
            yield Leak(prefix, f"called with {prefix}{body} and failed", body)


def leaks(seed: int = 7, *, each: int = 4) -> Iterator[Leak]:
    """Every kind of secret in changing surroundings."""
    chance = random.Random(seed)
    for prefix, alphabet, length in _PREFIXED:
        for _ in range(each):
            body = _word(chance, alphabet, length)
            shape = chance.choice(_SHAPES)
            yield Leak(prefix, shape.format(prefix + body), body)
        yield Leak(prefix, f"a line\n{_wrapped(prefix + body)}\nError: denied", body[-LEAST:])
    for shape in _NAMED_SHAPES:
        for _ in range(each):
            body = _mixed(chance, chance.randint(12, 32))
            yield Leak(shape, shape.format(body), body)
    yield from _structured(chance, each)


def _structured(chance: random.Random, each: int) -> Iterator[Leak]:
    for _ in range(each):
        jwt = ".".join(
            (
                "eyJ" + _word(chance, _URL, 30),
                "eyJ" + _word(chance, _URL, 60),
                _word(chance, _URL, 43),
            )
        )
        yield Leak("jwt", f"401 for {jwt} (expired)", jwt[-43:])
        lines = "\n".join(_word(chance, _ALNUM + "+/", 64) for _ in range(12))
        for kind in ("RSA ", "EC ", "OPENSSH ", ""):
            pem = f"-----BEGIN {kind}PRIVATE KEY-----\n{lines}\n-----END {kind}PRIVATE KEY-----"
            yield Leak("pem", f"$ cat key\n{pem}\n$", lines[100:160])
            escaped = pem.replace("\n", "\\n")
            yield Leak("pem", f'{{"private_key": "{escaped}"}}', lines[:60])
        yield Leak("pem", f"-----BEGIN RSA PRIVATE KEY-----\n{lines}", lines[:60])
        hidden = "gh" + "p_" + _word(chance, _ALNUM, 36)
        encoded = base64.b64encode(f"token={hidden}".encode()).decode()
        yield Leak("base64", f"data: {encoded}", encoded[4:40])
        yield Leak(
            "slack",
            f"https://hooks.slack.com/services/T0AB/B0CD/{_word(chance, _ALNUM, 24)}",
            "T0AB/B0CD",
        )
        body = _word(chance, _URL, 35)
        yield Leak("telegram", f"https://api.telegram.org/bot123456789:AA{body[:33]}/x", body[:33])
        sg = _word(chance, _URL, 43)
        yield Leak("sendgrid", f"SG.{_word(chance, _URL, 22)}.{sg}", sg)


def _word(chance: random.Random, alphabet: str, length: int) -> str:
    return "".join(chance.choice(alphabet) for _ in range(length))


def _mixed(chance: random.Random, length: int) -> str:
    """Letters of both cases and digits, as generated passwords are."""
    word = _word(chance, _ALNUM, length - 3)
    return "x" + word + "7Q"


def _wrapped(token: str, width: int = 0) -> str:
    """The token as a narrow terminal shows it."""
    middle = width or max(8, len(token) // 2)
    return token[:middle] + "\n" + token[middle:]


# Lines of real programs, logs and documents that hold no secret.
HARMLESS = """
token = self.tokens[self.pos]
cache key 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b is stale
the key d41d8cd98f00b204e9800998ecf8427e was not found
cacheKey = "user-123-conversation"
publicKey: "0f8fad5b-d9cb-469f-a165-70867728950e"
primaryKey = "order_2024_000123456789"
feature.SonarCloudV2DetectorEnabled.Store(true)
docker run -u app -p 8080:80 web
psql -U me -p 5432 shop
if password == "":
assert token == "Bearer"
access: public, private access is denied
private readonly settings = loadSettings();
layer_3f786850e387550fdab836ed7e6dc881de23001b
main-3f786850e387550fdab836ed7e6dc881de23001b.js
tokens = tokenizer.encode(text)
max_tokens=600
token_count: 1234
password: str
def login(user: str, password: str) -> Token:
password = getpass.getpass("Password: ")
password = os.environ["DB_PASSWORD"]
password=settings.DATABASE_PASSWORD
raise AuthenticationError("password is incorrect")
Enter password:
sudo: a password is required
ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)
fatal: Authentication failed for 'https://github.com/acme/api.git/'
remote: Support for password authentication was removed on August 13, 2021.
secret_name = "db-credentials"
secretKeyRef: name: db
kubectl create secret generic db --from-literal=password=$PASSWORD
token = request.headers.get("Authorization")
if token is None:
Authorization header is missing
headers = {"Authorization": f"Bearer {token}"}
curl -H "Authorization: Bearer $TOKEN" https://api.example.com
curl -H "Authorization: Bearer ${API_TOKEN}" https://api.example.com
export API_KEY=<your key>
export API_KEY=your-api-key-here
API_KEY=xxxxxxxxxxxxxxxx
API_KEY=****************
api_key = None
api_key: Optional[str] = None
api_key=api_key,
KeyError: 'api_key'
key = lambda item: item.name
sorted(rows, key=operator.itemgetter(1))
primary key (id)
foreign key constraint fails
for key, value in mapping.items():
key_path = "/etc/ssl/private/server.key"
The secret to fast tests is doing less.
session = requests.Session()
session_id: int
SESSION_COOKIE_NAME = "sessionid"
Set-Cookie header was not sent
class TokenBucket:
class SecretStr(str):
from hardwon.core.text.clean import clip
commit 3f786850e387550fdab836ed7e6dc881de23001b
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
index 83db48f..bf2a1c3 100644
uuid 123e4567-e89b-12d3-a456-426614174000
http://localhost:8080/health
http://user@example.com/path
https://example.com:8443/a:b@c
git@github.com:acme/api.git
ssh://git@host/x.git
image: registry.example.com/app@sha256:abcdef
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 user@host
-----BEGIN CERTIFICATE-----
The file must start with -----BEGIN RSA PRIVATE KEY----- and be readable
integrity sha512-9bG1vxg1Xg3Vq0Ywv0cLhXq1uQmWm0b6d0Zk2k1v3e4r5t6y7u8i9o0pQ==
pk_test
sk-learn
scikit-learn==1.3.0
risk-averse planning-heavy-tasks-take-longer-than-expected
AKIA is the prefix of AWS keys
task-management-system-with-a-very-long-name-indeed-it-is
eyJust a word
The token expired at 2026-11-15T12:00:00Z
CSRF verification failed. Request aborted.
{% csrf_token %}
<input type="password" name="password">
password_validators = [...]
AUTH_PASSWORD_VALIDATORS = []
PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
make_password(password)
assert user.check_password("x")
unauthorized: authentication required
error: RPC failed; HTTP 403 curl 22
pip install --require-hashes -r requirements.txt
mysql -u root -p
psql -h localhost -p 5432 -U app
docker run -p 8080:80 nginx
docker login -u bot --password-stdin
redis-cli -h 127.0.0.1 -p 6379
ssh -p 2222 user@host
mkdir -p out/nightly
python -m pytest -p no:cacheprovider tests/test_token.py
tests/test_password_reset.py::test_token_is_used_once PASSED
FAILED tests/test_auth.py::test_password - AssertionError: assert 403 == 200
const [password, setPassword] = useState("");
type Token = { kind: string; value: string };
token: string;
private readonly token: string,
let secret = Secret::new();
pass
pass # nothing to do
PASS: TestLogin (0.00s)
compass=north
bypass: true
monkey=banana
keyboard: qwerty-layout
turkey = "sandwich-with-cheese"
hotkey: ctrl+shift+k
donkey=12345
Unexpected token '<', "<!DOCTYPE "... is not valid JSON
SyntaxError: Unexpected token } in JSON at position 42
error: unexpected token: expected `,`
tokens used: 1234 in, 567 out
prompt_tokens=812 completion_tokens=33 total_tokens=845
password authentication failed for user "postgres"
FATAL: password authentication failed for user "app"
secrets.token_hex(16)
hashlib.sha256(password.encode()).hexdigest()
""".strip().splitlines()
