"""What would be recalled, explained."""

from __future__ import annotations

from tests.surfaces.serve.api.asked import CODER, get, post
from tests.surfaces.serve.served import Served


def test_recall_explains_itself_and_records_nothing(server: Served) -> None:
    post(server, f"/v1/learn?{CODER}", {"text": "make the nightly folder with `mkdir -p`"})

    found = get(server, f"/v1/recall?{CODER}&text=the+nightly+folder&explain=true")

    assert "mkdir -p" in found["text"]
    assert [one["lesson"] for one in found["candidates"]] == [1]
    assert get(server, "/v1/deliveries")["items"] == []
    assert server.ask("GET", "/v1/recall?text=x&door=window", key=server.token).status == 400


def test_leading_zeros_do_not_lift_the_limit_of_a_number(server: Served) -> None:
    answer = server.ask("GET", "/v1/queue?limit=000000001999999", key=server.token)

    assert answer.status == 400
    assert "'limit' is a number in 1 … 1000" in answer.json["detail"]
