"""The name that a service gives its error, for a lesson whose message may not be quoted."""

from __future__ import annotations

import pytest

from hardwon.knowledge.reading.bodies import body_message

NOT_EMPTY = (
    "<Error><Code>BucketNotEmpty</Code><Message>The bucket you tried to delete is not empty"
    "</Message></Error>"
)
IN_TEXT = '{{"content": [{{"type": "text", "text": "{}"}}], "isError": true}}'


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ('{"message": "no rows"}', "no rows"),
        ('Error: {"message": "no rows"}', "no rows"),
        ('HTTP 400\nA: b\n{"message": "no rows"}', "no rows"),
        ('see {"message": "no rows"} there', ""),
        ("<Error><Message>no  rows</Message></Error>", "no rows"),
        ("<Error><Code>x</Code></Error>", ""),
        ('{"error": {"message": "Bad Request"}, "detail": "no rows"}', "no rows"),
        ('{"message": "Bad Request"}', "Bad Request"),
        ('{"message": "cut off here", "more": "x', "cut off here"),
        ("{'message': 'as python'}", "as python"),
        ('{"error": "", "reason": "no rows", "more": "x', "no rows"),
        ('{"error": "", "more": "x', ""),
        ('{"detail": [{"loc": ["body", "age"], "msg": "too old"}]}', "age: too old"),
        ('{"detail": [{"loc": ["body", 3], "msg": "too old"}]}', "body: too old"),
        ('{"errors": {"age": ["too old"]}}', "age: too old"),
        ('{"errors": {"age": "the age is too old"}}', "the age is too old"),
        ('{"errors": [{"source": {"pointer": "/data/age"}, "detail": "too old"}]}', "age: too old"),
        ('{"errors": [{"name": "age", "reason": "too old"}]}', "age: too old"),
        ('{"errors": ["too old"]}', "too old"),
        ('[{"message": "no rows"}]', "no rows"),
        ('{"message": "{\\"error\\": \\"deep\\"}"}', "deep"),
        ('{"my_error_text": "no rows"}', "no rows"),
        ('{"rows": "no"}', ""),
        ("plain words", ""),
        (
            '{"ok": false, "errors": [{"field": "hours", "issue": "must be a whole number"}]}',
            "hours: must be a whole number",
        ),
        (
            '{"ok": false, "errors": [{"field": null, "issue": "the month is closed"}]}',
            "the month is closed",
        ),
        (
            '{"errors": [{"field": "day", "rule": "falls on a holiday"}]}',
            "day: falls on a holiday",
        ),
    ],
)
def test_a_body_says_what_went_wrong(output: str, message: str) -> None:
    assert body_message(output) == message
