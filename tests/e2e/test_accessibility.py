"""Every page against the rules of axe-core, in a real browser, light and dark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import Browser, Page, chromium
from tests.e2e.agents import from_npm
from tests.surfaces.serve.pages.stocked import ERROR, FAILS, stocked
from tests.surfaces.serve.pages.test_browser import PATHS, address
from tests.surfaces.serve.served import Served

pytestmark = pytest.mark.e2e

AXE = "axe-core@4.14.0"
RUN = """
axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.flatMap((rule) =>
  rule.nodes.map((node) => `${rule.id} (${rule.impact}): ${node.html.slice(0, 160)} ${node.any
    .concat(node.all, node.none).map((one) => one.message).join('; ')}`)))
"""


@pytest.fixture(scope="module")
def rules() -> str:
    return from_npm(AXE, "axe-core/axe.min.js").read_text()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """One with something on every page: a run at work, a key, a dead letter is not needed."""
    with stocked(tmp_path / "home") as found:
        coder = found.hw.agent("coder", project="acme/api", run="now")
        coder.after_action("bash", FAILS, output=ERROR)
        found.keys.create(note="for the dashboard", tenant="globex")
        yield found


@pytest.fixture
def page(browser: Browser, server: Served) -> Page:
    tab = browser.page()
    tab.open(server.service.link())
    tab.wait_for("What waits for me?")
    return tab


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_no_rule_of_axe_is_broken(
    page: Page, server: Served, rules: str, width: int, dark: bool
) -> None:
    (run,) = server.hw.tenant().runs()
    page.look(width=width, dark=dark)
    found = {}

    kinds = [f"/failures/{failure.kind}" for failure in server.hw.tenant().failures().rows]
    others = (f"/runs/{run[0]}", "/lessons/2?done=edited:2", "/lessons/9", "/login")
    for path in (*PATHS, *kinds, "/playbook?project=acme/api&agent=coder", *others):
        page.open(address(page, path))
        page.run(rules)
        found[path] = page.run(RUN)

    assert {path: told for path, told in found.items() if told} == {}


def test_axe_finds_what_breaks_its_rules(page: Page, server: Served, rules: str) -> None:
    page.open(address(page, "/keys"))
    page.run("document.getElementById('main').insertAdjacentHTML('beforeend', '<input name=x>')")
    page.run(rules)

    assert any(told.startswith("label ") for told in page.run(RUN))
