"""Secrets never survive; harmless lines do."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.text.redact import redact
from tests.corpora.secrets import HARMLESS, leaks


def test_at_least_98_of_100_secrets_are_taken_out() -> None:
    found = list(leaks())

    missed = [leak for leak in found if leak.secret in redact(leak.text)]

    recall = 1 - len(missed) / len(found)
    print(
        f"\nredaction recall {recall:.2%} of {len(found)}; missed kinds: "
        f"{sorted({leak.kind for leak in missed})}"
    )
    assert recall >= 0.98


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


@pytest.mark.parametrize("leak", list(leaks(11, each=1)), ids=lambda leak: leak.kind[:20])
def test_redacting_twice_changes_nothing_more(leak) -> None:  # type: ignore[no-untyped-def]
    once = redact(leak.text)

    assert redact(once) == once


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
    "newline": "\n",
}


@pytest.mark.parametrize("kind", sorted(ADVERSARIAL))
def test_no_input_makes_it_slow(kind: str) -> None:
    text = ADVERSARIAL[kind] * (50_000 // len(ADVERSARIAL[kind]))
    redact(text[:200])

    began = time.perf_counter()
    redact(text)
    took = time.perf_counter() - began

    print(f"\n{kind}: {took * 1e3:.1f} ms for 50 KB")
    assert took < 2  # a quadratic pattern takes minutes; the figure itself is printed
