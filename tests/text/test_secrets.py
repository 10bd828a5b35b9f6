"""Secrets go before a text is cut, wherever the cut falls."""

from __future__ import annotations

import io
import json
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.text import json_clip
from hardwon.core.text.redact import redact
from hardwon.core.text.secrets import (
    MARGIN,
    Screened,
    all_without_secrets,
    ending,
    may_hold_secret,
    safe,
    screen_excerpt,
    without_secrets,
)
from tests.corpora.places import placed
from tests.corpora.secrets import HARMLESS, Leak, coined, leaks, listed

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6" * 3
LIMIT = 300


def _pieces(secret: str, size: int = 8) -> list[str]:
    return [secret[at : at + size] for at in range(len(secret) - size + 1)]


def _texts(token: str, length: int) -> list[str]:
    """The token at every place of a text of this length."""
    filler = "word " * (length // 5 + 1)
    return [
        f"{filler[:at]} {token} {filler[: length - at]}"
        for at in range(0, length, max(7, length // 60))
    ]


@pytest.mark.parametrize("length", [LIMIT, 3 * LIMIT, 2 * MARGIN, 3 * MARGIN])
def test_a_token_at_any_place_of_a_long_text_leaves_no_piece(length: int) -> None:
    for text in _texts(TOKEN, length):
        kept = screen_excerpt(text, LIMIT)

        assert len(kept) <= LIMIT
        assert not [piece for piece in _pieces(TOKEN[4:]) if piece in kept]
        assert not [piece for piece in _pieces(TOKEN[4:]) if piece in safe(text, LIMIT)]


@pytest.mark.parametrize("at", range(0, 2 * MARGIN, 397))
def test_no_form_of_secret_is_parted_by_a_cut(at: int) -> None:
    chance = random.Random(at)
    leak = chance.choice([leak for leak in _all_leaks() if len(leak.secret) >= 8])
    filler = "\n".join(["an ordinary line of output"] * 2000)
    text = f"{filler[:at]}\n{leak.text}\n{filler}"

    for limit in (at + len(leak.text) // 2, at + 40, 400):
        assert leak.secret not in screen_excerpt(text, limit)
        assert leak.secret not in screen_excerpt(text[::-1][: len(filler)][::-1] + text, limit)


def test_a_key_whose_beginning_is_left_out_goes_too() -> None:
    lines = "\n".join("Ab1+" * 16 for _ in range(200))
    pem = f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----"
    text = "x " * 20_000 + pem + "\nError: denied"

    kept = screen_excerpt(text, 6000)

    assert "Ab1+Ab1+" not in kept
    assert kept.endswith("Error: denied")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *((before, 800_000) for before in range(60_000, 68_000, 1511)),
        *((800_000, after) for after in range(126_000, 134_000, 1511)),
    ],
)
def test_a_token_at_a_seam_of_a_clipped_event_leaves_no_piece(before: int, after: int) -> None:
    output = "y " * (before // 2) + TOKEN + " z" * (after // 2)
    raw = json.dumps({"output": output, "tail": "z " * 400_000 + TOKEN[:20]}).encode()

    event = json.loads(json_clip.clip_json(io.BytesIO(raw).read))

    assert not [piece for piece in _pieces(TOKEN[4:]) if piece in without_secrets(event["output"])]


def _all_leaks() -> list[Leak]:
    return [*leaks(3, each=1), *listed(3, each=1), *coined(3, each=1), *placed(3)]


def test_no_secret_is_passed_over_because_a_text_looks_plain() -> None:
    texts = [*(leak.text for leak in _all_leaks()), *HARMLESS]

    assert [str(without_secrets(text)) for text in texts] == [redact(text) for text in texts]


@pytest.mark.parametrize("place", range(3))
def test_a_secret_is_removed_from_each_of_several_texts(place: int) -> None:
    for leak in _all_leaks():
        texts = ["a plain word"] * 3
        texts[place] = leak.text

        assert all_without_secrets(*texts) == tuple(map(redact, texts))


def test_plain_texts_are_not_read_as_one_word_that_is_folded() -> None:
    texts = ("edit the folder", "folder of examples", "lastly examples")

    assert not may_hold_secret(*texts)
    assert all_without_secrets(*texts) == texts


@given(st.text(max_size=200))
def test_what_looks_plain_is_plain(text: str) -> None:
    assert without_secrets(text) == redact(text)


def test_screened_text_is_known_for_it_and_not_looked_at_again() -> None:
    once = screen_excerpt("the token is " + TOKEN, 100)

    assert isinstance(once, Screened)
    assert without_secrets(once) is once


def test_two_gigabytes_cost_no_more_than_their_ends() -> None:
    class Huge(str):
        """A text that says it is long, and fails when it is copied as a whole."""

        def __len__(self) -> int:
            return 2**31

        def __getitem__(self, key: object) -> str:
            assert isinstance(key, slice)
            size = key.stop if key.start is None else -key.start
            assert size < 100_000
            return "a plain word " * (int(size) // 13)

    assert len(screen_excerpt(Huge(), 4000)) <= 4000


PERHAPS_SECRET = (
    r"[\w+/=.~-]{12}|[\w.-]{6}\\?\r?\n[ \t]{0,8}[\w.-]{4}|://|\s-[pau]|(?i:pass|pwd|pswd|secret"
    r"|token|key|auth|cookie|cred|csrf|sig|dsn|session|connection|login|private|psk|pw|identif"
    r"|jwt| /u:| /user:| /p| /rp|salt|pepper|user|admin|account|community|wifi|wlan|ssid|connect"
    r"|secure|zugang|sudo|crypt|ssh|ftp|smtp|imap|ldap|seed|recovery|backup code|mnemonic|<<<"
    r"|kennwort|wachtwoord|contrase|senha|clave|mdp|haslo|hasł|heslo|parola|salasana|adgangskode|senord"
    r"|jelsz|şifre|парол|密码|密碼|パスワード|비밀번호|סיסמה|كلمة|khẩu)"
    r"|\s-[a-zA-Z]{1,2}[ =][\"']?(?=\S{0,60}[A-Z\d])\S{6}|\d\d[!#$@?*]"
    r"|[\"'],[ ]?b?[\"'](?=[^\s\"'`]{0,60}\d)[^\s\"'`]{8}"
)


@given(st.text(alphabet="aKſKpwdeysu:/-\\ \n\t.~é1", max_size=40) | st.from_regex(PERHAPS_SECRET))
def test_the_rules_look_wherever_a_secret_may_be(text: str) -> None:
    assert may_hold_secret(text) == bool(re.search(PERHAPS_SECRET, text))


def test_the_end_of_a_screened_text_needs_no_second_look() -> None:
    text = f"{'word ' * 20}{TOKEN} last words"

    assert isinstance(ending(screen_excerpt(text, LIMIT), 20), Screened)
    assert not isinstance(ending(text, 20), Screened)
    assert TOKEN not in safe(ending(text, 60), LIMIT)


@pytest.mark.parametrize("fold", ["\n", "\r\n", "\\\n", "\\\r\n", "\n   ", "\n\t"])
@pytest.mark.parametrize("other", ["\r\n", "\\r\\n", "\n"])
def test_a_token_that_is_folded_in_any_way_is_removed(fold: str, other: str) -> None:
    lines = [TOKEN[at : at + 10] for at in range(0, len(TOKEN), 10)]
    mixed = other.join(("first", f"x {lines[0]}\\n{lines[1]}", "\\n".join(lines[2:]), "last"))

    assert [line for line in lines if line in without_secrets(mixed)] == []
    assert without_secrets(f"a{other}b\\nc") == f"a{other}b\\nc"
    assert lines[1] not in without_secrets(f"x {fold.join(lines)} y")
