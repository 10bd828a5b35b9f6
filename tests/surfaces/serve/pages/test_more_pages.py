"""What holds for all pages of work: each is shown, and none tells a tenant of another."""

from __future__ import annotations

import re

import pytest

from hardwon.surfaces.serve import pages
from tests.surfaces.serve.pages.read_pages import bury, values
from tests.surfaces.serve.pages.stocked import ERROR, FAILS, Reader
from tests.surfaces.serve.served import Served

PAGES = ["failures", "runs", "queue", "dreams", "loops", "spend", "settings", "tenants", "keys"]


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_shown_and_has_its_values_as_json(reader: Reader, name: str) -> None:
    page = reader.get(f"/{name}")

    assert f'href="/{name}" aria-current="page"' in page
    assert "style=" not in page
    assert isinstance(values(reader, f"/{name}.json"), dict)


def test_no_page_tells_one_tenant_of_another(server: Served) -> None:
    own = server.hw.agent("coder", project="acme/api")
    live = server.hw.agent("coder", project="acme/api", run="live")
    live.before_turn("a run about xylophones")
    live.after_action("bash", FAILS, output=ERROR)
    own.learn("tune the xylophones")
    bury(server.hw.settings.home, "xylophones in a dead letter")
    dream = own.dreams.run()
    loop = own.loops.run(
        "sort xylophones", loop_id="l", actor=lambda _: "", evaluate=lambda _: True
    )
    ((run, _, _),) = server.hw.tenant().runs()
    ids = {"{number}": "1", "{name}": run, "{dream}": dream.id, "{loop}": loop.loop_id}
    stranger = Reader(server, server.key("admin", tenant="other"))

    seen = []
    for route in pages.routes():
        if "GET" in (route.methods or ()) and route.path != "/events":
            path = route.path
            for name, value in ids.items():
                path = path.replace(name, value)
            answer = stranger.ask(path)
            assert answer.status in {200, 403, 404}, path
            seen += [path] if re.search(rb"xylophon|acme/api|rm build", answer.body) else []
    assert seen == []
