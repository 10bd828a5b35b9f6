"""Keys that one process changes while another serves: `hardwon key` beside `hardwon serve`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.surfaces.serve.processes import identity, key, serving

REVOKED, MADE = 401, 200


def test_a_key_revoked_on_the_command_line_is_refused_at_once(tmp_path: Path) -> None:
    text = key(tmp_path, "create", "--role", "admin")
    with serving(tmp_path) as server:
        key(tmp_path, "list")
        assert server.ask(text)[0] == MADE
        key(tmp_path, "revoke", identity(text))

        assert server.ask(text)[0] == REVOKED
    with serving(tmp_path) as server:
        assert server.ask(text)[0] == REVOKED


def test_a_key_made_on_the_command_line_is_accepted_at_once(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        for _ in range(3):
            assert server.ask(key(tmp_path, "create"))[0] == MADE


@pytest.mark.parametrize("beside", ["list", "create"])
def test_a_key_revoked_over_http_stays_revoked_when_the_server_is_killed(
    tmp_path: Path, beside: str
) -> None:
    admin, text = key(tmp_path, "create", "--role", "admin"), key(tmp_path, "create")
    with serving(tmp_path) as server:
        key(tmp_path, beside)
        assert server.ask(admin, "DELETE", f"/v1/keys/{identity(text)}")[0] == 200
        server.kill()

    with serving(tmp_path) as server:
        assert server.ask(text)[0] == REVOKED
        assert server.ask(admin)[0] == MADE


def test_a_stream_ends_when_its_key_is_revoked(tmp_path: Path) -> None:
    text = key(tmp_path, "create", "--role", "viewer")
    with serving(tmp_path) as server, server.stream(text) as stream:
        key(tmp_path, "revoke", identity(text))

        assert stream.read() == b"\n"
