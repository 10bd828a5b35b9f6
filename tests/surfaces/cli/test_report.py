"""`hardwon report`: what a person sees of what was learnt, shown, and what happened then."""

from __future__ import annotations

import json
import unicodedata
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

import hardwon
from hardwon import Scope
from hardwon.core.values.report import (
    Deliveries,
    FailureKind,
    KindObserved,
    LessonState,
    LessonVerdict,
    Observed,
    OpenFailure,
    PartEffect,
    Report,
    Window,
)
from hardwon.knowledge.proof.effect import OFF
from hardwon.surfaces.cli import report as terminal
from hardwon.surfaces.cli import run
from tests.samples import NOW, Clock

PROJECT = "acme/api"
EVIL = 'Boom: </style><script>alert("1")</script><img src=x onerror=alert(2)> 東京 \x1b[31m'
PLACE = ("--project", PROJECT)
KIND = FailureKind("k", EVIL, 2, NOW, NOW)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which one failure was cured, one recurs, and one has a hostile text."""
    monkeypatch.setenv("HARDWON_HOME", str(tmp_path / "home"))
    with hardwon.open(tmp_path / "home") as hw:
        for _ in range(3):
            work(hw.agent("default", project=PROJECT))
        stranger = hw.agent("default", project=PROJECT, tenant="other")
        stranger.after_action("bash", "make", output="make: secret of another tenant", failed=True)
    return tmp_path


def work(agent: hardwon.Agent) -> None:
    agent.after_action("bash", "mkdir a/b", output="mkdir: cannot create 'a/b'", failed=True)
    agent.after_action("bash", "mkdir -p a/b")
    agent.after_action("bash", "flush", output=EVIL, failed=True)
    agent.after_run(task="make it")


def printed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(("report", *arguments)) == code
    shown = capsys.readouterr()
    return shown.out + shown.err


def columns(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("width", [60, 100, 160])
def test_the_report_fits_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))

    lines = printed(capsys, *PLACE).splitlines()

    assert max(map(columns, lines)) <= width
    assert lines[0].startswith(f"Report on project {PROJECT}, agent default")
    assert not any("\x1b" in line for line in lines)


@pytest.mark.usefixtures("home")
def test_the_report_tells_what_was_met_learnt_and_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = printed(capsys, *PLACE)

    assert "Failures met: 6" in text
    assert "1 proven" in text
    assert "after a failure" in text
    assert "overcome" in text
    assert "To do: failures that keep coming back" in text
    assert "Not proven: no hold-out is on" in text
    assert "0 waiting, 0 in flight, 0 given up" in text
    assert "another tenant" not in text


@pytest.mark.usefixtures("home")
def test_the_report_of_this_folder_says_so_when_nothing_was_recorded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)

    text = printed(capsys)

    assert tmp_path.name in "".join(text.split())
    assert "Nothing was recorded here" in text
    assert "Failures met: 6" in printed(capsys, "--all")


@pytest.mark.usefixtures("home")
def test_the_report_of_a_tenant_counts_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    other = json.loads(printed(capsys, "--all", "--tenant", "other", "--json"))
    own = json.loads(printed(capsys, "--all", "--json"))

    assert [kind["met"] for kind in other["failures"]] == [1]
    assert sorted(kind["met"] for kind in own["failures"]) == [3, 3]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("since", ["x", "", "-3d", "0d", "99999999999d"])
def test_a_time_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], since: str) -> None:
    assert printed(capsys, "--since", since, code=2)


class Page(HTMLParser):
    """What a browser would make of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.values: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.values += [f"{name}={value}" for name, value in attrs]


def harmless(text: str) -> Page:
    page = Page(text)
    assert page.tags.isdisjoint({"script", "img", "link", "iframe"})
    assert not [value for value in page.values if value.startswith(("src=", "href=", "on"))]
    assert "\x1b" not in text
    return page


def test_the_page_needs_nothing_from_elsewhere(
    capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    assert "OK: wrote" in printed(capsys, *PLACE, "--html", str(home / "report.html"))

    text = (home / "report.html").read_text(encoding="utf-8")

    assert "svg" in harmless(text).tags
    assert "://" not in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_no_text_becomes_markup(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        work(hw.agent("default"))
        report = hw.report()
    hostile = report._replace(
        window=report.window._replace(scope=hardwon.Scope("default", "default", EVIL)),
        failures=(KIND,),
        stopped=(KIND,),
        unsolved=(OpenFailure(1, EVIL, 2, NOW),),
        deliveries=(Deliveries(EVIL, EVIL, NOW.date(), 1, 1),),
        lessons=(LessonState("seen", 1, 1),),
        proof=EVIL,
        verdicts=(LessonVerdict(1, EVIL, EVIL, 0.5, 9, 1, 9, 2, True),),
    )

    text = terminal.page(hostile)

    harmless(text)
    assert text.count("&lt;script&gt;") >= 9


def test_unknown_outcomes_are_reported(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        for _ in range(2):
            work(hw.agent("default"))
        open_run = hw.agent("default")
        open_run.after_action("bash", "mkdir a/b", output="mkdir: cannot create 'a/b'", failed=True)
        report = hw.report()

    assert report.outcomes("error")["unknown"] == 1
    assert report.shown == sum(report.outcomes("error").values())
    assert "1 unknown" in "\n".join(terminal.lines(report, 100))


def test_a_failure_that_stopped_is_told(tmp_path: Path) -> None:
    clock = Clock()
    with hardwon.open(tmp_path, clock=clock) as hw:
        for _ in range(2):
            work(hw.agent("default"))
        assert not hw.report().stopped
        clock.now += timedelta(days=8)
        report = hw.report()

    assert [kind.met for kind in report.stopped] == [2, 2]
    assert "Stopped coming back (not met for 7 days)" in list(terminal.lines(report, 80))
    assert sum(met for _, met in report.met) == 4


def test_a_lesson_tells_its_story(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    arguments = ("lesson", "show", "1", *PLACE)
    assert run(arguments) == 0
    text = capsys.readouterr().out
    assert run((*arguments, "--json")) == 0
    told = json.loads(capsys.readouterr().out)

    assert "met: mkdir a/b" in text
    assert "shown after a failure, 2 times: overcome" in text
    assert "overcome" in text
    assert {one["outcome"] for one in told["exposures"]} == {"overcome"}


def test_what_is_believed_about_a_lesson_is_told_everywhere(
    capsys: pytest.CaptureFixture[str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HARDWON_PROOF_SHARE", "0.5")
    with hardwon.open(home / "home") as hw:
        work(hw.agent("default", project=PROJECT))
        report = hw.report(project=PROJECT)
    assert run(("lesson", "show", "1", *PLACE)) == 0
    story = capsys.readouterr().out

    told = "too few (1 of about 100)"
    assert told in terminal.page(report)
    assert told in "\n".join(terminal.lines(report, 100))
    assert f"proof: {told}" in story
    assert told in printed(capsys, *PLACE, "--json")


@pytest.mark.parametrize(
    ("counts", "size", "expected"),
    [([0, 4, 8], 3, " ▄█"), ([1, 0], 9, "███   "), ([1, 1, 1, 1], 2, "██"), ([0], 1, " ")],
)
def test_a_sparkline(counts: list[int], size: int, expected: str) -> None:
    assert terminal.sparkline(counts, size) == expected


def test_a_bar_never_vanishes() -> None:
    assert terminal.bar(0.0001, 4) == "▏   "
    assert terminal.bar(1, 4) == "████"
    assert terminal.stack({"good": 1000, "bad": 1, "open": 0}, 10) == "█████████▒"


def test_what_has_no_fix_is_listed_with_its_count_and_lesson(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        report: Report = hw.report(whole=True)
    once = OpenFailure(7, "no such file", 1, NOW)
    often = OpenFailure(8, "no such table", 1200, NOW)
    shown = report._replace(unsolved=(once, often))

    lines = [line.strip() for line in terminal.lines(shown, 80)]

    assert "1 #7  no such file" in lines
    assert "1,200 #8  no such table" in lines


def test_the_tiles_of_the_page_count_one_in_the_singular(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        hw.agent("default").learn("run the migrations first")
        report: Report = hw.report(whole=True)

    once = report._replace(spent=report.spent._replace(calls=1, tokens=1200))
    page = terminal.page(once)

    assert "Nothing was recorded" in page
    assert "today 1 model call, 1,200 tokens, $0.00" in page
    assert '<b>1</b><span class="soft">lesson (1 new this week)</span>' in page
    assert '<b>0</b><span class="soft">failures met</span>' in page


OBSERVED = Observed(
    runs=40,
    told=30,
    followed=18,
    failed=3,
    untold=20,
    failed_untold=12,
    avoided=15,
    low=7.4,
    high=20,
    calls=45,
    minutes=140,
    kinds=(KindObserved(EVIL, 15, 9, 1, 8, 5),),
)
PARTS = (
    PartEffect("door", "turn", 2000, 100, 500, 150, 500.0, 350.0, 650.0, "about 500 repeats"),
    PartEffect("project", EVIL, 9, 1, 2, 1, words="too few to tell"),
    PartEffect("origin", "model", 0, 0, 0, 0, words="too few to tell"),
)


@pytest.mark.parametrize("width", [60, 100, 160])
def test_a_report_leads_with_what_was_saved(width: int) -> None:
    window = Window(Scope(), NOW - timedelta(days=1))
    report = Report(window, NOW, observed=OBSERVED, parts=PARTS, proof=OFF)

    lines = list(terminal.lines(report, width))
    text = " ".join(" ".join(lines).split())

    assert max(map(columns, lines)) <= width
    assert "30 times a run was told in time of a failure that lay ahead: 18 followed" in text
    assert "9 did not meet it, 3 failed all the same (10%)" in text
    assert "without being told failed in 60% of 20 cases" in text
    assert "About 15 failures avoided (95 %: 7 to 20), about 45 calls and 2.3 hours saved" in text
    assert text.index("What it saved") < text.index("Costs and queue") < text.index("Not proven")
    page = terminal.page(report)
    assert page.index("About 15 failures avoided") < page.index("Not proven: no hold-out is on")
    assert "came back in 5.0% with and 30.0% without (2,000 and 500 cases)" in page
    assert "<script>alert" not in page


def test_a_report_without_a_hold_out_tells_what_runs_show(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        for _ in range(4):
            agent = hw.agent("default", project=PROJECT, run="r")
            agent.start()
            work(agent)
        report = hw.report(project=PROJECT)

    assert report.observed.runs == 4
    assert report.observed.told == report.observed.failed == 3  # told, and failed all the same
    assert report.observed.failed_untold == report.observed.untold == 1
    assert report.observed.kinds
    assert not report.parts
