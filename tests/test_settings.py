"""Where settings come from, and what happens when they are wrong."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from hardwon.core.errors import InvalidInput, StorageError
from hardwon.core.settings import default_home, duration, load, parse
from hardwon.core.settings_file import format_value, unknown_settings
from tests import generate_settings


def test_defaults_are_those_of_the_published_system(tmp_path: Path) -> None:
    settings = load(str(tmp_path), {})

    assert settings.reflexion == (True, True, True, False, True)
    assert settings.queue.workers == 2
    assert settings.queue.max_attempts == 5
    assert settings.queue.max_delay == timedelta(minutes=5)
    assert settings.origin("queue.workers") == "default"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[queue]\nworkers = 3\njitter = 0.1\n")

    settings = load(str(tmp_path), {"HARDWON_QUEUE_WORKERS": "7"})

    assert (settings.queue.workers, settings.queue.jitter) == (7, 0.1)
    assert settings.origin("queue.workers") == "HARDWON_QUEUE_WORKERS"
    assert settings.origin("queue.jitter") == "config.toml"


@pytest.mark.parametrize(
    "variable",
    [
        "HARDWON_QUEUE_WORKERS",
        "HARDWON_REFLEXION_QUEUE_WORKERS",
        "HARDWON_QUALITY_REFLEXION_QUEUE_WORKERS",
    ],
)
def test_the_published_names_work_with_our_prefix(tmp_path: Path, variable: str) -> None:
    assert load(str(tmp_path), {variable: "4"}).queue.workers == 4


PUBLISHED = "CHATCLI_QUALITY_REFLEXION_QUEUE_WORKERS"


def test_the_published_variables_are_read_where_ours_are_not_set(tmp_path: Path) -> None:
    environ = {PUBLISHED: "7", "CHATCLI_QUALITY_REFLEXION_ON_ERROR": "false", "CHATCLI_MODEL": "x"}

    alone = load(str(tmp_path), environ)
    beside = load(str(tmp_path), {**environ, "HARDWON_QUEUE_WORKERS": "3"})
    (tmp_path / "config.toml").write_text("[queue]\nworkers = 5\n")
    with_file = load(str(tmp_path), environ)

    assert (alone.queue.workers, alone.reflexion.on_error) == (7, False)
    assert [loaded.queue.workers for loaded in (beside, with_file)] == [3, 5]
    assert alone.published() == [
        ("reflexion.on_error", "CHATCLI_QUALITY_REFLEXION_ON_ERROR"),
        ("queue.workers", PUBLISHED),
    ]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("1s", 1), ("1m30s", 90), ("500ms", 0.5), ("168h", 604800), ("7d", 604800), ("0", 0)),
        *(("10", 10), ("1.5", 1.5), ("1.5h", 5400), (" 2us ", 0.000002), (5, 5), (0.5, 0.5)),
    ],
)
def test_durations_are_read_as_go_writes_them_or_as_seconds(
    tmp_path: Path, text: object, seconds: float
) -> None:
    found = load(str(tmp_path), {"HARDWON_QUEUE_JOB_TIMEOUT": str(text)})

    assert duration(text) == found.queue.job_timeout == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("HARDWON_QUEUE_WORKERS", "many"),
        ("HARDWON_REFLEXION_ENABLED", "maybe"),
        ("HARDWON_QUEUE_MAX_DELAY", "5 parsecs"),
        ("HARDWON_QUEUE_MAX_DELAY", ""),
        ("HARDWON_QUEUE_JITTER", "x"),
    ],
)
def test_a_wrong_value_names_the_setting(tmp_path: Path, variable: str, value: str) -> None:
    with pytest.raises(InvalidInput, match=r"setting (queue|reflexion)\."):
        load(str(tmp_path), {variable: value})


def test_a_broken_file_names_its_path(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("[queue\n")

    with pytest.raises(StorageError, match=r"config\.toml.*not valid TOML"):
        load(str(tmp_path), {})


def test_home_is_taken_from_the_environment() -> None:
    assert default_home({"HARDWON_HOME": "/srv/memory"}) == "/srv/memory"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (timedelta(days=7), "7d"),
        (timedelta(seconds=90), "90s"),
        (timedelta(milliseconds=1400), "1400ms"),
        (timedelta(0), "0ms"),
        (True, "true"),
        (0.2, "0.2"),
    ],
)
def test_a_value_is_shown_as_it_may_be_written(value: object, text: str) -> None:
    assert format_value(value) == text
    assert parse("it", format_value(value), value) == value


@pytest.mark.parametrize("line", ["workers = -1", "jitter = nan", "max_delay = -5"])
def test_no_setting_is_negative(tmp_path: Path, line: str) -> None:
    (tmp_path / "config.toml").write_text(f"[queue]\n{line}\n")

    with pytest.raises(InvalidInput, match=r"setting queue\..*config\.toml.*is not"):
        load(str(tmp_path), {})


def test_what_is_set_and_sets_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("loose = 1\n[queue]\nworkers = 3\nworker = 3\n")
    environ = {"HARDWON_QUEUE_JITER": "1", "HARDWON_AGENT": "a", "HARDWON_HOME": "/x", "PATH": ""}

    found = unknown_settings(load(str(tmp_path), environ), environ)

    assert found == ["loose", "queue.worker", "HARDWON_QUEUE_JITER"]


@pytest.mark.parametrize(
    "text",
    [
        "99999999999h",
        "1e400",
        "9" * 400,
        "-5",
        "inf",
        "nan",
        "100000000000000d",
        "5 s x",
        "5s x",
        "1h30",
    ],
)
def test_an_absurd_duration_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidInput, match=r"queue\.job_timeout"):
        load(str(tmp_path), {"HARDWON_QUEUE_JOB_TIMEOUT": text})


@pytest.mark.parametrize("line", ["inf", "nan", "1e300", "-1", "true"])
def test_an_absurd_duration_in_the_file_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "config.toml").write_text(f"[queue]\njob_timeout = {line}\n")

    with pytest.raises(InvalidInput, match=r"queue\.job_timeout"):
        load(str(tmp_path), {})


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()

    with pytest.raises(StorageError, match=r"config\.toml: Is a directory; it is a directory"):
        load(str(tmp_path), {})


def test_the_page_of_settings_is_fresh() -> None:
    """When it fails: `python -m tests.generate_settings`."""
    assert generate_settings.written() == generate_settings.table()


def test_every_setting_says_what_it_means() -> None:
    rows = [line for line in generate_settings.table().splitlines() if line.startswith("| `")]

    assert [row for row in rows if row.endswith("|  |")] == []
