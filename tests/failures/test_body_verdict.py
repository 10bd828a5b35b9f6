"""A JSON or XML result is an error in the shapes that services give it, and in no other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hardwon.knowledge.reading.bodies import (
    enclosed_status,
    is_failed_body,
    is_failed_json,
    is_failed_xml,
    is_refusal,
)

MOST = 50_000  # characters of a body that are read


@pytest.mark.parametrize(
    ("body", "is_failed"),
    [
        ({"isError": True}, True),
        ({"isError": False, "error": "x"}, False),
        ({"isError": "yes"}, False),
        ({"is_error": True}, True),
        ({"ok": False}, True),
        ({"ok": None}, False),
        ({"succeeded": False}, True),
        ({"success": True, "data": []}, False),
        ({"exit_code": 1}, True),
        ({"exit_code": 0, "returncode": 3}, False),
        ({"exit_code": True}, False),
        ({"output": "x", "metadata": {"exit_code": 2}}, True),
        ({"output": "x", "metadata": {"exit_code": 0}}, False),
        ({"output": "x", "metadata": [2]}, False),
        ({"status": 400}, True),
        ({"status": 399}, False),
        ({"code": 599}, True),
        ({"code": 600}, False),
        ({"status": "error", "message": "no"}, True),
        ({"status": "error", "rows": 3}, False),
        ({"status": "done", "message": "no"}, False),
        ({"result": "FAILED", "reason": "no"}, True),
        ({"error": "no"}, True),
        ({"error": ""}, False),
        ({"error": True}, True),
        ({"error": 3}, False),
        ({"errors": [], "rows": []}, False),
        ({"exception": "no"}, True),
        ({"id": 3, "error": "no"}, False),
        ({"id": 3, "error": "no", "jsonrpc": "2.0"}, True),
        ({**dict.fromkeys("abcde", 1), "error": "no"}, True),
        ({**dict.fromkeys("abcdef", 1), "error": "no"}, False),
        ({"message": "Not Found"}, True),
        ({"message": "Not Found", "rows": 3}, False),
        ({"message": "All is well"}, False),
        ({"message": "All is well", "type": "invalid_thing"}, True),
        ({"message": "no", "code": 5, "details": []}, True),
        ({"message": "no", "code": 16, "details": []}, True),
        ({"message": "no", "code": 17, "details": []}, False),
        ({"message": "no", "code": 0, "details": []}, False),
        ({"message": "no", "code": 5}, False),
        ({"detail": [{"loc": ["a"], "msg": "x"}]}, True),
        ({"detail": [{"loc": ["a"], "msg": "x"}, {"loc": ["b"]}]}, False),
        ({"detail": ["x"]}, False),
        ({"code": "not_found"}, False),
        ({"content": [{"type": "text", "text": "Error: no"}]}, True),
        ({"content": [{"type": "text", "text": "fine"}]}, False),
        ({"content": "Error: no"}, False),
        ([{"type": "text", "text": "Error: no"}], True),
        ([{"type": "image", "text": "Error: no"}], False),
        ([{"type": "text", "text": "fine"}, {"type": "text", "text": "Error: no"}], False),
        ([{"type": "text", "text": ' {"ok": false}'}], True),
        (["Error: no"], False),
        ([], False),
        ("Error: no", False),
        (None, False),
    ],
    ids=lambda value: json.dumps(value)[:60],
)
def test_a_body_says_that_the_call_failed(body: Any, is_failed: bool) -> None:
    assert is_failed_body(body) is is_failed
    assert is_failed_json(json.dumps(body)) is is_failed


@pytest.mark.parametrize(
    ("text", "is_failed"),
    [
        ("{'ok': False}", True),
        ("{'rows': 3, 'ok': False}", True),
        ("{'rows': 3}", False),
        ('{"error": "no", "trace": "cut he', True),
        ('{"error": "", "trace": "cut he', False),
        ('{"status": 404, "trace": "cut he', True),
        ('{"status": 200, "trace": "cut he', False),
    ],
)
def test_a_body_that_is_cut_or_written_by_python_is_read_too(text: str, is_failed: bool) -> None:
    assert is_failed_json(text) is is_failed


@pytest.mark.parametrize(("size", "is_failed"), [(MOST, True), (MOST + 1, False)])
def test_a_very_long_body_is_not_read(size: int, is_failed: bool) -> None:
    text = '{"ok": false, "a": "' + "x" * (size - 22) + '"}'
    status = '{"exit_code": 3, "a": "' + "x" * (size - 25) + '"}'

    assert (len(text), len(status)) == (size, size)
    assert is_failed_json(text) is is_failed
    assert (enclosed_status(status) == 3) is is_failed


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ('{"exit_code": 3}', 3),
        ('{"metadata": {"exitCode": 0}}', 0),
        ('{"exit_code": null, "returncode": 2}', 2),
        ('{"rows": 3}', None),
        ("[3]", None),
        ("exit_code: 3", None),
        ('{"exit_code": "3"}', None),
    ],
)
def test_the_exit_status_within_an_object(text: str, status: int | None) -> None:
    assert enclosed_status(text) == status


@pytest.mark.parametrize(
    ("text", "is_failed"),
    [
        ("<Error><Code>NoSuchKey</Code></Error>", True),
        ("<?xml version='1.0'?>\n<s:Envelope><s:Body><s:Fault>", True),
        ("<rows><Error/></rows>", False),
        ("<html><title>502 Bad Gateway</title>", True),
        ("<html><title>Errors of 2024</title>", False),
        ("<html>" + " " * 2000 + "<title>502 Bad</title>", False),
        ("see <Error>", False),
        ("Page: <title>502 Bad</title>", False),
    ],
)
def test_an_xml_error_or_the_page_of_a_failing_server(text: str, is_failed: bool) -> None:
    assert is_failed_xml(text) is is_failed


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("ValueError: x", True),
        ("Failed to load", True),
        ("Could not load", True),
        ("Not found", True),
        ("Not found: 3 of 4", False),
        ("404 Client Error: x", True),
        ("The error: x", False),
        ("No errors", False),
        ("E1010 DATE ? 3", True),
        ("ERR-1010: DATE", True),
        ("E1010 plus", False),
        ("E330 Citric acid, an acidity regulator", False),
        ("H1010 DATE", False),
    ],
)
def test_a_text_begins_as_errors_begin(text: str, is_error: bool) -> None:
    assert is_refusal(text) is is_error
