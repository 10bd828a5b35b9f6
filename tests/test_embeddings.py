"""Lessons are found by what they mean, in other words; nothing is said where nothing fits."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

import hardwon
from hardwon import Agent, Hardwon
from hardwon.core.errors import InvalidInput, MissingExtra, TransientError
from hardwon.core.settings import HydeSettings, RecallSettings, Settings, load
from hardwon.storage.ports import Reply, Request
from tests.embedders import Away, Topics
from tests.models.server import Part, playing

TLS = ("calls to the partner's https host fail", "install the company root certificate")


@pytest.fixture
def hw(tmp_path: Path) -> Iterator[Hardwon]:
    with hardwon.open(tmp_path, embedder=Topics()) as opened:
        yield opened


def taught(hw: Hardwon) -> Agent:
    agent = hw.agent("coder", project="api")
    agent.lessons.add(*TLS)
    agent.lessons.add("a directory is listed", "close the directory handle")
    hw.drain()
    return agent


def set_to(home: Path, **values: object) -> Settings:
    return load(str(home))._replace(recall=RecallSettings()._replace(**values))  # type: ignore[arg-type]


def test_a_lesson_is_found_by_other_words_before_a_turn(hw: Hardwon) -> None:
    agent = taught(hw)

    found = agent.before_turn("why does the TLS handshake break")

    assert [lesson.correction for lesson in found.lessons] == [TLS[1]]


def test_a_lesson_is_found_by_other_words_after_an_error(hw: Hardwon) -> None:
    agent = taught(hw)

    found = agent.after_action("bash", "get", output="remote end: ssl handshake", failed=True)

    assert [lesson.correction for lesson in found.lessons] == [TLS[1]]


def test_the_task_helps_to_understand_an_error(tmp_path: Path) -> None:
    embedder = Topics()
    with hardwon.open(tmp_path, embedder=embedder) as hw:
        agent = taught(hw)
        agent.before_turn("check the ssl setup")

        agent.after_action("bash", "x", output="it broke", failed=True)

    assert embedder.asked[-1] == "it broke\ncheck the ssl setup"


def test_an_unrelated_prompt_gets_nothing(hw: Hardwon) -> None:
    agent = taught(hw)

    assert not agent.before_turn("translate the menu into Danish")
    assert not agent.after_action("bash", "y", output="segmentation fault", failed=True)


def test_in_a_crowd_only_a_lesson_that_stands_apart_is_shown(hw: Hardwon) -> None:
    agent = taught(hw)
    for number in range(24):
        agent.lessons.add(f"tool{number} warns of wet {number}", f"option {number} needs rain")
    hw.vectors.fill()

    apart = agent.before_turn("why does the TLS handshake break")
    one_of_many = agent.before_turn("do I need an umbrella in such weather")

    assert [lesson.correction for lesson in apart.lessons] == [TLS[1]]
    assert not one_of_many


@pytest.mark.usefixtures("weights")
def test_the_model_that_comes_along_finds_a_lesson_and_stays_silent(tmp_path: Path) -> None:
    with hardwon.open(settings=set_to(tmp_path, embedder="minilm")) as hw:
        agent = hw.agent("coder")
        agent.lessons.add("the disk is full of old images", "prune unused layers")
        assert hw.vectors.fill() == 1

        found = agent.after_action(
            "bash", "docker build .", output="write: no space left on device", failed=True
        )
        other = agent.before_turn("compose a limerick about a sleepy cat")

    assert [lesson.correction for lesson in found.lessons] == ["prune unused layers"]
    assert not other


def test_without_an_embedder_nothing_changes(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        agent = taught(hw)
        assert not agent.before_turn("why does the TLS handshake break")
        words = agent.explain("turn", "calls to the partner https host")

    assert hw.vectors.fill() == 0
    assert hw.vectors.counts() == ("", 0, 0)
    assert [name for name, _ in words[0].parts] == ["words", "prior"]


def test_explain_shows_the_part_of_the_meaning(hw: Hardwon) -> None:
    agent = taught(hw)

    best, *_ = agent.explain("turn", "TLS trouble")

    assert dict(best.parts)["meaning"] > 0
    assert best.match.cosine == pytest.approx(1, abs=0.01)


def test_a_lesson_without_a_vector_is_found_by_its_words(hw: Hardwon) -> None:
    agent = taught(hw)
    agent.lessons.add("stock of the warehouse robot", "count pallets twice")

    assert agent.before_turn("the warehouse robot counts pallets")


def test_workers_give_vectors_to_lessons_that_are_new_or_changed(hw: Hardwon) -> None:
    agent = taught(hw)
    assert hw.vectors.counts() == ("topics", 2, 2)
    number = agent.lessons.add("going out", "look at the forecast").id
    assert hw.vectors.counts() == ("topics", 2, 3)

    hw.work("empty")
    assert not agent.before_turn("will it rain")
    agent.lessons.edit(number, correction="take an umbrella")
    hw.drain()

    assert hw.vectors.counts() == ("topics", 3, 3)
    assert agent.before_turn("will it rain")


def test_another_embedder_means_other_vectors(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, embedder=Topics()) as hw:
        taught(hw)

    with hardwon.open(tmp_path, embedder=Topics("wider", width=12)) as hw:
        agent = hw.agent("coder", project="api")
        before = agent.before_turn("TLS trouble")
        assert hw.vectors.counts() == ("wider", 0, 2)
        assert hw.vectors.fill() == 2
        after = agent.before_turn("TLS trouble")

    assert not before
    assert [lesson.correction for lesson in after.lessons] == [TLS[1]]


def test_an_embedder_of_the_same_name_and_other_vectors_starts_anew(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, embedder=Topics()) as hw:
        agent = taught(hw)
        agent.lessons.add("going out", "take an umbrella")

    with hardwon.open(tmp_path, embedder=Topics(width=12)) as hw:
        hw.vectors.fill()
        hw.vectors.fill()

        assert hw.vectors.counts() == ("topics", 3, 3)
        assert hw.agent("coder", project="api").before_turn("TLS trouble")


def test_progress_is_told(hw: Hardwon) -> None:
    agent = hw.agent("coder")
    for number in range(40):
        agent.lessons.add(f"case {number} of its own kind", f"do {number}")
    told: list[int] = []

    assert hw.vectors.fill(told.append) == 40

    assert told == [32, 40]


def test_a_server_that_is_away_leaves_words_to_find_it(tmp_path: Path) -> None:
    troubles: list[BaseException] = []
    with hardwon.open(tmp_path, embedder=Away()) as hw:
        hw.on_trouble(troubles.append)
        agent = taught(hw)

        found = agent.before_turn("calls to the partner's https host fail again")

        assert found
        assert isinstance(troubles[0], TransientError)
        with pytest.raises(TransientError):
            hw.vectors.fill()


def test_an_endpoint_is_asked_within_the_budget(tmp_path: Path) -> None:
    body = json.dumps({"data": [{"index": 0, "embedding": [1.0, 0.0]}]}).encode()
    with playing(Part(body=body)) as stage:
        settings = set_to(tmp_path, embedder=f"openai:e5@{stage.address}/v1")
        settings = settings._replace(budget=settings.budget._replace(calls=2))
        with hardwon.open(settings=settings) as hw:
            agent = hw.agent("coder")
            agent.lessons.add("one", "one")  # one text
            assert hw.vectors.fill() == 1
            first = agent.before_turn("something else")
            second = agent.before_turn("another thing")
            spent = hw.spent()

    assert first
    assert not second
    assert len(stage.asked) == 2
    assert spent.calls == 2


class Busy:
    """An embedder that calls a library of a provider, which is refused."""

    name = "busy"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        error = type("RateLimitError", (Exception,), {"status_code": 429})
        raise error("slow down")


def test_errors_of_an_embedders_library_cost_neither_words_nor_the_worker(tmp_path: Path) -> None:
    with hardwon.open(tmp_path, embedder=Busy()) as hw:
        troubles: list[BaseException] = []
        hw.on_trouble(troubles.append)
        agent = hw.agent("coder")
        agent.lessons.add("calls to the partner's https host fail", "install the root certificate")
        hw.drain()

        assert agent.before_turn("why do calls to the partner's https host fail?")
    assert {type(one) for one in troubles} == {TransientError}


def test_an_embedder_that_cannot_work_is_told_when_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput):
        hardwon.open(settings=set_to(tmp_path, embedder="word2vec"))
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtra):
        hardwon.open(settings=set_to(tmp_path, embedder="minilm"))


def test_a_hook_never_imports_numpy(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('[recall]\nembedder = "minilm"\n[hyde]\nenabled = true\n')
    code = (
        "import sys, os; from hardwon.surfaces.hooks import client\n"
        "os._exit = lambda code: sys.exit(9 if 'numpy' in sys.modules else 7)\n"
        "client.run(['codex'])"
    )
    event = {"hook_event_name": "UserPromptSubmit", "prompt": "go", "cwd": str(tmp_path)}

    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(event).encode(),
        env={**os.environ, "HARDWON_HOME": str(tmp_path), "HARDWON_HOOKS_LIMIT": "60s"},
        check=False,
    )

    assert done.returncode == 7
    assert not (tmp_path / "hook.log").exists()


SLOWLY = """
import sys, time, hardwon
from tests.embedders import Topics

class Slow(Topics):
    def embed(self, texts):
        time.sleep(0.02)
        return super().embed(texts)

with hardwon.open(sys.argv[1], embedder=Slow()) as hw:
    hw.vectors.fill(lambda done: print(done, flush=True))
"""


def test_a_killed_backfill_goes_on_where_it_was(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        for number in range(100):
            hw.agent("coder").lessons.add(f"case {number} of its own kind", f"do {number}")
    root = str(Path(__file__).parent.parent)
    environ = {**os.environ, "PYTHONPATH": root}
    filling = subprocess.Popen(
        [sys.executable, "-c", SLOWLY, str(tmp_path)], stdout=subprocess.PIPE, env=environ
    )
    with filling:
        assert filling.stdout is not None
        filling.stdout.readline()
        filling.send_signal(signal.SIGKILL)

    with hardwon.open(tmp_path, embedder=Topics()) as hw:
        _, have, active = hw.vectors.counts()
        assert 32 <= have <= 96
        assert hw.vectors.fill() == active - have
        assert hw.check() == []


class Imagines:
    """A model that imagines a lesson about TLS."""

    name = "imagines"

    def __init__(self, seconds: float = 0) -> None:
        self.calls = 0
        self._seconds = seconds

    async def complete(self, request: Request) -> Reply:
        self.calls += 1
        await asyncio.sleep(self._seconds)
        return Reply("When the handshake fails, look at the certificate.")


def test_a_model_imagines_the_lesson_that_is_then_found(tmp_path: Path) -> None:
    model = Imagines()
    with hardwon.open(tmp_path, embedder=Topics(), model=model) as hw:
        agent = taught(hw)

        plain = agent.before_turn("why is curl unhappy")
        asked = agent.before_turn("why is curl unhappy", hyde=True)

    assert not plain
    assert model.calls == 1
    assert [lesson.correction for lesson in asked.lessons] == [TLS[1]]


def test_imagination_is_on_by_setting_and_finds_by_words_too(tmp_path: Path) -> None:
    settings = load(str(tmp_path))._replace(hyde=HydeSettings(enabled=True))
    with hardwon.open(settings=settings, model=Imagines()) as hw:
        agent = hw.agent("coder")
        agent.lessons.add("a handshake fails", "look at the certificate chain")

        assert agent.before_turn("why is curl unhappy")
        assert not agent.before_turn("why is curl unhappy", hyde=False)


def test_a_slow_imagination_is_not_waited_for(tmp_path: Path) -> None:
    settings = set_to(tmp_path, patience=load(str(tmp_path)).recall.patience / 20)
    with hardwon.open(settings=settings, model=Imagines(seconds=30)) as hw:
        hw.on_trouble(lambda error: None)
        agent = taught(hw)
        began = time.monotonic()

        found = agent.before_turn("calls to the partner's https host", hyde=True)

    assert found
    assert time.monotonic() - began < 25


def test_without_a_model_recall_is_plain(tmp_path: Path) -> None:
    with hardwon.open(tmp_path) as hw:
        hw.on_trouble(lambda error: pytest.fail(str(error)))
        agent = taught(hw)

        assert agent.before_turn("calls to the partner's https host", hyde=True)
