"""Secrets never survive; harmless lines do."""

from __future__ import annotations

import json
import random
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hardwon
from hardwon.core.text.redact import redact
from hardwon.core.text.token_kinds import KINDS, LONG, VERY_LONG
from tests.corpora.places import placed
from tests.corpora.secrets import HARMLESS, Leak, coined, leaks, listed, loose
from tests.effort import NEVER_QUADRATIC, cpu_seconds


@pytest.mark.parametrize(
    ("corpus", "most"),
    [(leaks, 0.02), (listed, 0.03), (coined, 0.03), (loose, 0.03), (placed, 0.05)],
    ids=["tuned_on", "listed", "unknown_providers", "say_little", "places"],
)
def test_hardly_a_secret_is_missed(corpus: Callable[[], Iterator[Leak]], most: float) -> None:
    found = list(corpus())

    missed = [leak for leak in found if leak.secret in redact(leak.text)]

    print(f"\nredaction recall {1 - len(missed) / len(found):.2%} of {len(found)}: {missed}")
    assert len(missed) / len(found) <= most


def test_a_secret_is_taken_out_wherever_it_stands_again() -> None:
    secret = "x7Kp" + "Q2mT9vLw4RbN"

    assert secret not in redact(f"DB_PASSWORD={secret}\nlogin failed for {secret} at db")


def test_a_token_at_a_line_break_that_json_escapes_is_taken_out() -> None:
    found = [leak for leak in leaks() if "\n" in leak.text]

    kept = [redact(json.dumps({"file_path": "a.py", "text": leak.text})) for leak in found]

    assert [one for one, text in zip(found, kept, strict=True) if one.secret in text] == []


_NO_DIGIT = "sQprygzQpwYPfEVcEdHlrk"


@pytest.mark.parametrize(
    "text",
    [
        f"sk-{_NO_DIGIT}\nCikJSa6yvRxRKuXALhOLfOie6B\nError: denied",
        f"sk-a1B2c3D4e5F6a1B2c3D4e5F6\n{_NO_DIGIT}\nError: denied",
        f"gsk_kareQRFiiTWWHZ5bwxY5NOs2\n    {_NO_DIGIT}\nError: denied",
        f"xapp-1-Z6XhZnRw57fqqMoh\\\n{_NO_DIGIT} denied",
        f"https://api.telegram.org/bot123456789:AA{_NO_DIGIT}wKwxOyOFssV/x",
    ],
)
def test_a_token_or_a_line_of_it_may_be_without_digits(text: str) -> None:
    kept = redact(text)

    assert _NO_DIGIT not in kept
    assert "CikJSa6" not in kept


@pytest.mark.parametrize(
    "after", ["test_the_shop_is_deployed", "ShopDeploymentService", "Error: no"]
)
def test_a_name_on_the_line_after_a_token_stays(after: str) -> None:
    assert redact(f"sk-a1B2c3D4e5F6a1B2c3D4e5F6\n{after}") == f"[REDACTED:openai]\n{after}"


def test_no_line_of_our_own_sources_and_documents_is_changed() -> None:
    root = Path(hardwon.__file__).parents[2]
    files = [*root.glob("src/**/*.py"), *root.glob("docs/**/*.md"), root / "README.md"]
    lines = [
        line
        for file in files
        if file.name != "token_kinds.py"  # it holds the beginnings of tokens
        for line in file.read_text(encoding="utf-8").splitlines()
    ]

    changed = [line for line in lines if redact(line) != line]

    print(f"\nown lines changed: {len(changed)} of {len(lines)}")
    assert changed == []


def test_hardly_a_line_of_the_standard_library_is_changed() -> None:
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("[a-h]*.py"))
    lines = [line for file in files for line in file.read_text(errors="replace").splitlines()]

    changed = [line for line in lines if redact(line) != line]

    print(f"\nlines of the standard library changed: {len(changed)} of {len(lines)}: {changed}")
    assert len(changed) / len(lines) <= 0.0001


@pytest.mark.parametrize(
    "line",
    [
        '{"password": "This field is required."}',
        'print("password: ", attempts)',
        'os.environ.get("DB_PASSWORD", "postgres")',
        '<label for="password">Password</label>',
        '<button id="reset-password">Save</button>',
        "https://git@github.com/acme/api.git",
        "create_user('tokentestuser', 'test2@example.com', 'x')",
        'fields = ["old_password", "new_password1", "new_password2"]',
        "kind: ConfigMap\ndata:\n  mode: production-with-a-long-name",
        "req_011CSHoEeqs5C35K2UUGdNqzAbCdEfGhJk",
        "integrity sha512-9bG1vxg1Xg3Vq0Ywv0cLhXq1uQmWm0b6d0Zk2k1v3e4r5t6y7u8i9o0p",
    ],
)
def test_what_only_looks_like_a_secret_stays(line: str) -> None:
    assert redact(line) == line


def test_at_most_one_of_200_harmless_lines_is_changed() -> None:
    changed = [line for line in HARMLESS if redact(line) != line]

    print(
        f"\nredaction false positives {len(changed) / len(HARMLESS):.2%} of {len(HARMLESS)}: "
        f"{[redact(line) for line in changed]}"
    )
    assert len(changed) / len(HARMLESS) <= 0.005


def test_a_placeholder_tells_the_kind_and_what_stands_around_it_stays() -> None:
    token = "gh" + "p_" + "a1B2" * 9

    assert redact(f"push with {token} failed") == "push with [REDACTED:github] failed"
    assert redact("postgres://app:hunter2@db/shop") == "postgres://[REDACTED:userinfo]@db/shop"
    assert redact("DB_PASSWORD=hunter2 make") == "DB_PASSWORD=[REDACTED:password] make"


@pytest.mark.parametrize(
    "corpus", [leaks, listed, coined, loose, placed], ids=lambda corpus: corpus.__name__
)
def test_redacting_twice_changes_nothing_more(corpus: Callable[..., Iterator[Leak]]) -> None:
    once = [redact(leak.text) for leak in corpus(11, each=1)]

    assert [redact(text) for text in once] == once


def test_redacting_several_secrets_twice_changes_nothing_more() -> None:
    chance = random.Random(7)
    found = [leak.text for leak in placed()]
    marks = ("\n", " ", " && ", ", ", "; ", "|", '"', "'", " -> ", "\t", "= ")
    texts = [chance.choice(marks).join(chance.sample(found, 3)) for _ in range(1500)]

    once = [redact(text) for text in texts]

    assert [text for text in once if redact(text) != text] == []


@given(st.text(max_size=400))
def test_any_text_can_be_redacted(text: str) -> None:
    once = redact(text)

    assert redact(once) == once


ADVERSARIAL = {
    "pem": "-----BEGIN RSA PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n",
    "jwt": "eyJ-eyJ.eyJ",
    "userinfo": "a://b:c",
    "colons": "a://" + ":" * 60,
    "password": 'password="',
    "password-flag": "--password ",
    "authorization": "authorization: bearer ",
    "cookie": "cookie: a=",
    "mysql": "mysql ",
    "curl": "curl -u a",
    "sk": "sk-",
    "base64": "QUJD",
    "spaces": "token  =   ",
    "wrapped": "ghp_\n",
    "key": "api key ",
    "putty": "PuTTY-User-Key-File-2\n",
    "plain": "a",
    "string": 'password="\\\\',
    "call": 'x_token", "',
    "element": "<token ",
    "pair": "name: token value: ",
    "annotated": "token: str ",
    "manifest": "kind: Secret\\ndata:\\n  a: b\\n",
    "url": "https://a1B2c3D4e5F6g7H8",
    "coined": "ab_cd-ef_",
    "provider": "discord=12ab34cd",
    "end": "-----END RSA PRIVATE KEY-----",
    "newline": "\n",
}


@pytest.mark.parametrize("kind", sorted(ADVERSARIAL))
def test_no_input_makes_it_slow(kind: str) -> None:
    text = ADVERSARIAL[kind] * (50_000 // len(ADVERSARIAL[kind]))
    redact(text[:200])

    took = cpu_seconds(redact, text)

    print(f"\n{kind}: {took * 1e3:.1f} ms for 50 KB")
    assert took < NEVER_QUADRATIC


def test_no_rule_for_very_long_words_finds_a_shorter_one() -> None:
    rules = [rule for rule in KINDS if LONG in rule.keywords]

    assert rules
    assert [rule for rule in rules if _parser.parse(rule.pattern).getwidth()[0] < VERY_LONG] == []


@pytest.mark.parametrize(
    "text",
    [
        "jdbc:oracle:thin:scott/§@db1:1521/orcl",
        r"net use z: \\srv\x /user:adm §",
        "keytool -storepass § -list",
        "smbclient //srv/x -U admin%§",
        "ldapsearch -D cn=admin -w §",
        'wifi_psk = "§"',
        'var dbPass string = "§"',
        "credentials: {user: 'x', pass: '§'}",
        "vault_pass: §",
        "--set auth.redisPassword=§",
        "CREATE USER app IDENTIFIED BY '§'",
        "ALTER USER bob PASSWORD '§';",
        "set password for 'root' = '§';",
        "Password for root is §",
        "login with password §",
        "Passwort: §",
        "requirepass §",
        "rootpw: §",
        "db.example.com:5432:shop:app:§",
    ],
)
def test_a_chosen_password_is_known_wherever_programs_take_one(text: str) -> None:
    for password in ("Harbor5196!", "T8dY1MjIlqNds", "obupZV&Jl7*4"):
        assert password not in redact(text.replace("§", password))


@pytest.mark.parametrize(
    "text",
    [
        "the tests pass on PostgreSQL15 and in Python3.11",
        "tests pass: 12 of 12",
        "password hashing with Argon2id",
        "renderPass = 'shadow-depth'",
        "git log -S OAuth2Token --oneline",
        "git show -s 3f2a9b1c0d",
        "docker run -e TZ=Europe/Berlin -v /srv:/srv app",
        "npm i left/pad@1.3.0",
        "GnuPG key: 0x7EC2DBB6F4DBF434",
        "main.go:1234:run:step:failed",
        "an identified by-product",
        "bypass the cache with north=1",
    ],
)
def test_words_beside_the_name_of_a_password_stay(text: str) -> None:
    assert redact(text) == text
