"""Replies are read strictly in what they say and tolerantly in how they are dressed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.errors import BadReply
from hardwon.core.text.protocol import SCHEMA, Blocks, parse

PLAIN = (
    "<situation>S</situation>\n<mistake>M</mistake>\n<correction>C</correction>\n<tags>a, b</tags>"
)
READ = Blocks("S", "M", "C", ("a", "b"))

SAME = {
    "plain": PLAIN,
    "other case": PLAIN.replace("situation", "SITUATION").replace("tags", "Tags"),
    "attributes": PLAIN.replace("<situation>", '<situation lang="en" id=3>'),
    "white space": PLAIN.replace(">S<", ">\n   S  \n<"),
    "prose around": f"Sure! Here it is:\n\n{PLAIN}\n\nHope that helps.",
    "a code fence around": f"```xml\n{PLAIN}\n```",
    "code fences inside": PLAIN.replace(">C<", ">\n```\nC\n```\n<"),
    "thinking before": f"<think>maybe <skip>x</skip> or <situation>no</situation></think>{PLAIN}",
    "unended thinking after": f"{PLAIN}\n<thinking>was that right",
    "a block twice": f"<situation>old</situation>{PLAIN}",
    "a tag left open": PLAIN.replace("</mistake>", ""),
    "tags on lines": PLAIN.replace("a, b", "\na\nb\n"),
    "untidy tags": PLAIN.replace("a, b", " A , #b,, a,"),
    "JSON": json.dumps(
        {"skip": False, "situation": "S", "mistake": "M", "correction": "C", "tags": ["a", "b"]}
    ),
    "fenced JSON": '```json\n{"situation":"S","mistake":"M","correction":"C","tags":"a,b"}\n```',
}


@pytest.mark.parametrize("dress", sorted(SAME))
def test_the_dress_does_not_matter(dress: str) -> None:
    assert parse(SAME[dress]) == READ


@pytest.mark.parametrize(
    "reply",
    [
        "<skip>nothing actionable</skip>",
        "<SKIP/>",
        f"{PLAIN}<skip>on second thought</skip>",
        '{"skip": true, "situation": "S", "mistake": "", "correction": "C", "tags": []}',
    ],
)
def test_skip_wins(reply: str) -> None:
    assert parse(reply) is None


@pytest.mark.parametrize(
    "reply",
    ["", "no blocks", "<situation>S</situation>", PLAIN.replace(">C<", "> <"), "{}", "[1]", "{"],
)
def test_what_lacks_a_needed_block_is_a_bad_reply(reply: str) -> None:
    with pytest.raises(BadReply) as raised:
        parse(reply)

    assert raised.value.reply == reply


def test_markup_inside_a_block_stays() -> None:
    found = parse(PLAIN.replace(">C<", ">use <b>Edit</b> and `a < b` </p><"))

    assert found
    assert found.correction == "use <b>Edit</b> and `a < b` </p>"


def test_at_most_twelve_tags_are_kept() -> None:
    found = parse(PLAIN.replace("a, b", ", ".join(f"t{n}" for n in range(40))))

    assert found
    assert len(found.tags) == 12


def test_the_schema_asks_for_what_the_parser_reads() -> None:
    assert set(SCHEMA["required"]) == set(SCHEMA["properties"])


@given(st.text(alphabet="<>/sitaonmkecrg {}\"'\n`", max_size=300))
def test_any_reply_is_read_or_refused(reply: str) -> None:
    try:
        found = parse(reply)
    except BadReply:
        return
    assert found is None or (found.situation and found.correction)


def test_a_reply_made_to_be_slow_is_read_in_no_time() -> None:
    with pytest.raises(BadReply):
        parse("<tags>" * 200_000)
