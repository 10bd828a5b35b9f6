"""The page of a project's playbook."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.serve.pages.stocked import HELD, Reader
from tests.surfaces.serve.served import Served

PLACE = "/playbook?agent=coder&project=acme/api"


@pytest.fixture
def items(server: Served) -> list[int]:
    """Two items in the playbook."""
    lessons = server.hw.agent("coder", project="acme/api").lessons
    texts = ("When refunding", "Ask finance <first>."), ("When drafting", "Use the form.")
    return [lessons.add(*text, tags=["way"]).id for text in texts]


def shown(reader: Reader) -> list[tuple[int, bool]]:
    """The items of the page, and whether each is pinned."""
    values = json.loads(reader.get(PLACE.replace("?", ".json?")))
    return [(item["id"], item["is_pinned"]) for item in values["items"]]


def test_it_shows_the_items_and_what_waits(reader: Reader, items: list[int]) -> None:
    page = reader.get(PLACE)

    assert page.index("When refunding") < page.index("When drafting")
    assert "Ask finance &lt;first&gt;." in page
    assert "written by a person" in page
    assert page.index("Waiting for you") < page.index(HELD)
    assert "Nothing was changed." in page


def test_the_project_is_chosen_first_unless_there_is_one(reader: Reader, items: list[int]) -> None:
    assert "When refunding" in reader.get("/playbook")
    reader.server.hw.agent("writer", project="acme/docs").learn("Use short words")

    assert 'href="/playbook?agent=writer&amp;project=acme%2Fdocs"' in reader.get("/playbook")


def test_items_are_pinned_moved_removed_and_all_is_undone(reader: Reader, items: list[int]) -> None:
    first, second = items
    answer = reader.post(f"/playbook/{second}/pin", on="yes", next=PLACE)
    assert answer.headers["location"] == f"{PLACE}&done=pinned:{second}"
    assert shown(reader) == [(second, True), (first, False)]
    reader.post(f"/playbook/{second}/pin", on="no")
    reader.post(f"/playbook/{second}/up")
    assert shown(reader) == [(second, False), (first, False)]
    reader.post(f"/playbook/{first}/remove")
    assert shown(reader) == [(second, False)]
    assert "is no longer in the playbook" in reader.get(f"{PLACE}&done=removed:{first}")

    reader.post(f"/lessons/{first}/undo", next=PLACE)
    for _ in range(3):
        reader.post(f"/lessons/{second}/undo", next=PLACE)
    assert shown(reader) == [(first, False), (second, False)]


def test_who_may_only_read_sees_no_forms_and_changes_nothing(
    server: Served, items: list[int]
) -> None:
    viewer = Reader(server, server.key("viewer"))

    assert "Move up" not in viewer.get(PLACE)
    assert viewer.post(f"/playbook/{items[0]}/remove").status == 403
    assert len(shown(viewer)) == 2


def test_a_key_for_another_project_reaches_no_item(server: Served, items: list[int]) -> None:
    stranger = Reader(server, server.key("curator", project="acme/docs"))

    assert stranger.post(f"/playbook/{items[0]}/remove").status == 404
    assert "When refunding" not in stranger.get("/playbook")
    assert len(shown(Reader(server))) == 2
