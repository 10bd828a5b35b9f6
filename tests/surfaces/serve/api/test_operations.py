"""What operators ask for."""

from __future__ import annotations

from tests.surfaces.serve.api.asked import post
from tests.surfaces.serve.served import Served


def test_metrics_count_the_tenants_own(any_server: Served) -> None:
    server = any_server
    post(server, "/v1/after_run", {"task": "one", "error": "boom"})
    own = server.ask("GET", "/metrics", key=server.token).body
    other = server.ask("GET", "/metrics", key=server.key("viewer", tenant="other")).body

    assert b"hardwon_lessonq_wal_segments 1.0" in own
    assert b"hardwon_lessonq_wal_segments 0.0" in other
