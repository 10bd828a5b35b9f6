"""All settings in one frozen value: defaults, then config.toml, then the environment.

A setting `section.name` is read from `HARDWON_SECTION_NAME`. The names of the published system
work with its prefix replaced: `HARDWON_QUALITY_REFLEXION_ON_ERROR`,
`HARDWON_QUALITY_REFLEXION_QUEUE_WORKERS`. Its own variables (`CHATCLI_QUALITY_REFLEXION_…`) are
read where neither ours nor config.toml says anything.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from hardwon.core import _files
from hardwon.core.errors import InvalidInput, StorageError, storage_error

T = TypeVar("T", int, float)


PREFIX = "HARDWON_"
PUBLISHED = "CHATCLI_QUALITY_"  # of the published system
_FILE_LIMIT = 1 << 20  # bytes of config.toml
_TRUE = {"1", "true", "yes", "on", "y", "t"}
_FALSE = {"0", "false", "no", "off", "n", "f"}
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = 100 * 31_536_000  # seconds of a duration; a time so far away can still be written


class Reflexion(NamedTuple):
    """When a run is reflected on."""

    enabled: bool = True  # whether any run is reflected on
    on_error: bool = True  # whether a run that ended with an error is reflected on
    on_hallucination: bool = True  # whether a wrong answer is reflected on (`answers.verify`)
    on_low_quality: bool = False  # whether a poor answer is reflected on (`answers.refine`)
    persist: bool = True  # whether lessons are stored; false: they are only logged


class ReaderSettings(NamedTuple):
    """Whether a model reads ended runs into the playbook of their project."""

    enabled: bool = True  # whether it reads a run that ended with something new in it
    tokens: int = 12_000  # the most tokens of a request about one run


class QueueSettings(NamedTuple):
    """How jobs are kept and worked."""

    enabled: bool = True  # false: jobs are only in memory, and lost with the process
    workers: int = 2  # jobs that a worker process runs at a time
    capacity: int = 1000  # jobs held in memory; the others stay on disk
    drop_oldest: bool = False  # in a full memory the oldest makes room; else the newest waits
    block_timeout: timedelta = timedelta(seconds=5)  # the longest such wait; then it is rejected
    max_attempts: int = 5  # attempts before a job goes to the dead letters
    initial_delay: timedelta = timedelta(seconds=1)  # wait before the second attempt; it doubles
    max_delay: timedelta = timedelta(minutes=5)  # the longest wait between two attempts
    jitter: float = 0.2  # share by which each wait varies at random
    job_timeout: timedelta = timedelta(minutes=2)  # time limit of one attempt
    stale_after: timedelta = timedelta(hours=168)  # older jobs are dead letters; 0: never
    drain_timeout: timedelta = timedelta(seconds=30)  # time for jobs in flight when a worker stops
    base_dir: str = ""  # the folder of the queue; default: `<home>/queue`
    autostart: bool = False  # start a worker when a job is put and nobody works the queue
    metrics_port: int = 0  # port of /metrics, /healthz and /readyz in `hardwon work`; 0: none


class MetricsSettings(NamedTuple):
    """How metrics are named."""

    prefix: str = "hardwon"  # first word of every metric; `chatcli`: as in the published system


class RecallSettings(NamedTuple):
    """What is brought back."""

    start_tokens: int = 1200  # the most tokens shown when a run begins, of items in words
    start_evidence_tokens: int = 300  # the same of calls and failures, where nobody wrote items
    turn_lessons: int = 3  # the most lessons shown before a turn
    turn_tokens: int = 600  # the most tokens shown before a turn
    action_lessons: int = 3  # the most lessons shown before an action
    action_tokens: int = 300  # the most tokens shown before an action
    error_lessons: int = 3  # the most lessons shown after an error
    error_tokens: int = 300  # the most tokens shown after an error
    loops: bool = True  # whether an agent is told that it goes in circles
    loop_exempt: str = "sleep, wait, BashOutput, TaskOutput, write_stdin"  # tools that may repeat
    embedder: str = ""  # also find lessons by meaning: minilm, or openai:name[@http://…]
    patience: timedelta = timedelta(seconds=2)  # a turn's longest wait for an embedding server


class Secret(str):
    """A text that is used but never shown."""

    __slots__ = ()


class ModelSettings(NamedTuple):
    """Who words the lessons."""

    name: str = ""  # default: the first provider with a key, else rules (no model)
    anthropic_key: Secret = Secret()  # the key of Anthropic's API
    openai_key: Secret = Secret()  # the key of OpenAI's API, or of a server with the same API
    timeout: timedelta = timedelta(seconds=60)  # time limit of one answer of a model


class BudgetSettings(NamedTuple):
    """The most that models may cost in a day; 0: no limit."""

    calls: int = 500  # calls of models a day, of all tenants together
    tokens: int = 2_000_000  # tokens a day, of all tenants together
    money: float = 0.0  # dollars a day, of all tenants together; needs `budget.prices`
    tenant_calls: int = 0  # calls a day of each tenant; 0: no limit
    tenant_tokens: int = 0  # tokens a day of each tenant; 0: no limit
    tenant_money: float = 0.0  # dollars a day of each tenant; 0: no limit
    prices: str = ""  # dollars for a million tokens: anthropic:claude-haiku-*=1/5, openai:*=2/8


class HydeSettings(NamedTuple):
    """Whether a query may be enriched by a hypothetical lesson."""

    enabled: bool = False  # whether recall searches with a lesson that the model imagines


class ScopeSettings(NamedTuple):
    """Whose lessons the hooks and the MCP server read and write."""

    tenant: str = "default"  # whose data it is
    agent: str = "default"  # whose lessons they are
    project: str = ""  # default: the project of the folder the agent works in


class HookSettings(NamedTuple):
    """How the hooks of coding agents behave."""

    enabled: bool = True  # false: hooks answer nothing and record nothing
    limit: timedelta = timedelta(milliseconds=300)  # time after which a hook gives up
    capture_limit: timedelta = timedelta(milliseconds=1400)  # the same for the last hook of a run
    subagents: bool = False  # whether sub-agents are shown lessons
    stop_once: bool = True  # whether the same call that failed here last is denied once
    ask: bool = False  # whether an agent is asked, once a session, to write down what it found out
    say: bool = True  # whether the person sees a line a turn when a lesson is shown or learnt
    wake: bool = True  # whether a captured failure starts a worker in the background
    daemon: bool = True  # whether the first event starts a daemon that answers the next ones


class GoalSettings(NamedTuple):
    """What is kept and shown of ended goals, and where."""

    per_goal: int = 3  # reflections kept for each goal
    recent: int = 10  # how many recent goals are considered
    ttl: timedelta = timedelta(days=7)  # age at which a reflection expires
    shown: int = 2  # reflections shown at a time
    redis_url: str = ""  # a Redis server for reflections; default: the store of the lessons
    redis_prefix: str = ""  # the prefix of the keys in Redis
    redis_patience: timedelta = timedelta(milliseconds=30)  # a turn's longest wait for Redis


class PostgresSettings(NamedTuple):
    """A database that many machines share, instead of the file in the home."""

    url: Secret = Secret()  # postgresql://… of a shared database; also `--home postgresql://…`
    migrate: str = "auto"  # auto: tables are migrated when opened; check: only by `hardwon migrate`
    pool: int = 4  # the most connections of a process
    patience: timedelta = timedelta(milliseconds=80)  # a turn's longest wait for the database


class ServerSettings(NamedTuple):
    """A server of hardwon whose lessons this machine shares; `hardwon login` sets it."""

    url: str = ""  # https://… of the server; its key is in HARDWON_KEY or in the key file
    key_file: str = ""  # the file that holds the key; default: `<home>/server.key`


class TrialSettings(NamedTuple):
    """How a loop of trials runs unless it is told otherwise."""

    max_trials: int = 5  # the most trials of a loop
    omega: str = ""  # reflections in view: 1 … 10; auto: by variety of failures; "": by verifiers
    policy: str = "fifo"  # which reflections stay in view: fifo, recency, relevance_weighted
    window_tokens: int = 1500  # the most tokens of reflections in view
    actor_timeout: timedelta = timedelta(minutes=30)  # time limit of one attempt
    verify_timeout: timedelta = timedelta(minutes=10)  # time limit of one verification
    patience: int = 3  # stop after this many trials without a gain; 0: never
    repeats: int = 3  # stop after this many trials with the same failure; 0: never
    lessons: str = "now"  # when a loop's lessons are kept: now, queue (worded again later), off


class ProofSettings(NamedTuple):
    """Whether it is measured that lessons help."""

    share: float = 0.0  # share of runs that do not see a family of lessons: 0.1 is a tenth


class RunSettings(NamedTuple):
    """What is kept of runs that have ended: in short, their steps and what they were shown."""

    keep: timedelta = timedelta(days=30)  # how long ended runs are kept; 0: none is kept
    keep_cited: timedelta = timedelta(days=365)  # how long those of their steps that lessons cite
    most: int = 5000  # the most ended runs kept for a tenant; the oldest go first
    person: str = "git"  # whose runs they are: git (its global user.name), a name, or "": nobody's
    machine: bool = True  # whether the name of the machine is noted with a run
    follow: timedelta = timedelta()  # how often a worker learns from new past sessions; 0: never


class NoticeSettings(NamedTuple):
    """What a worker tells a team, about the tenant `scope.tenant`."""

    webhook: Secret = Secret()  # http(s)://… that gets JSON with a `text`, as Slack takes it
    events: str = "held, returned, weekly"  # a lesson waits, a failure came back, the digest


class DreamSettings(NamedTuple):
    """When an agent dreams, and for how long."""

    idle: timedelta = timedelta(hours=2)  # time without activity before a dream may begin
    every: timedelta = timedelta(hours=6)  # the shortest time between two dreams
    budget: timedelta = timedelta(minutes=10)  # the longest a dream takes
    changes: int = 100_000  # the most changes of one dream
    reworded: int = 20  # lessons that a model may word again in one dream
    stale: timedelta = timedelta(days=180)  # age at which an unsure, unused lesson is retired


class Settings(NamedTuple):
    """All settings, and where each was set."""

    home: str
    reflexion: Reflexion = Reflexion()
    reader: ReaderSettings = ReaderSettings()
    queue: QueueSettings = QueueSettings()
    metrics: MetricsSettings = MetricsSettings()
    recall: RecallSettings = RecallSettings()
    model: ModelSettings = ModelSettings()
    budget: BudgetSettings = BudgetSettings()
    hyde: HydeSettings = HydeSettings()
    goals: GoalSettings = GoalSettings()
    postgres: PostgresSettings = PostgresSettings()
    server: ServerSettings = ServerSettings()
    dream: DreamSettings = DreamSettings()
    proof: ProofSettings = ProofSettings()
    runs: RunSettings = RunSettings()
    notices: NoticeSettings = NoticeSettings()
    scope: ScopeSettings = ScopeSettings()
    hooks: HookSettings = HookSettings()
    trials: TrialSettings = TrialSettings()
    origins: tuple[tuple[str, str], ...] = ()
    is_for_hooks: bool = False  # a hook: no driver, no model, only what lies on this machine

    def origin(self, key: str) -> str:
        """Where `section.name` was set: the environment, config.toml, or default."""
        return dict(self.origins).get(key, "default")

    def is_own(self, key: str) -> bool:
        """Whether it was set for hardwon itself, not through another program's variable."""
        return self.origin(key) not in {"default", *_FOREIGN.values()}

    @property
    def is_observed(self) -> bool:
        """Whether spans and counts are made: an endpoint is set, and OpenTelemetry is there.

        A hook makes none: it has no caller's span, and must be quick.
        """
        if self.is_for_hooks or not os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT"):
            return False
        from importlib.util import find_spec

        return bool(find_spec("opentelemetry") and find_spec("opentelemetry.trace"))

    def published(self) -> list[tuple[str, str]]:
        """The settings that come from variables of the published system, with the variable."""
        return [origin for origin in self.origins if origin[1].startswith(PUBLISHED)]

    @property
    def remote(self) -> str:
        """The server or database that this machine shares with others; "" if there is none."""
        return self.server.url or self.postgres.url

    @property
    def is_on_copy(self) -> bool:
        """Whether the store is a hook's copy of a server's lessons."""
        return self.is_for_hooks and bool(self.remote)

    @property
    def key_file(self) -> str:
        """The file that holds the key of the server."""
        return os.path.join(self.home, os.path.expanduser(self.server.key_file or "server.key"))

    def on_database(self, url: str) -> Settings:
        """These settings with this database as the store."""
        origins = (*self.origins, ("postgres.url", "argument"))
        return self._replace(postgres=self.postgres._replace(url=Secret(url)), origins=origins)

    def for_hooks(self, *, resident: bool = False) -> Settings:
        """Settings for hooks: no model; embeddings only in the daemon."""
        recall = self.recall if resident else self.recall._replace(embedder="")
        return self._replace(recall=recall, hyde=HydeSettings(), is_for_hooks=True)

    def rows(self) -> list[tuple[str, Any, str]]:
        """Every setting as (key, value, origin)."""
        rows = [("home", self.home, self.origin("home"))]
        for section in sections(self):
            for name, value in getattr(self, section)._asdict().items():
                key = f"{section}.{name}"
                shown = ("(set)" if value else "") if isinstance(value, Secret) else value
                rows.append((key, shown, self.origin(key)))
        return rows


def sections(settings: Settings) -> list[str]:
    """The names of the groups of settings."""
    return [name for name in settings._fields if hasattr(getattr(settings, name), "_asdict")]


def load(home: str | None = None, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process; `home` may also be the URL of a database."""
    place = home or environ.get(f"{PREFIX}HOME") or ""
    if place.startswith(("http://", "https://")):
        raise InvalidInput(f"{place} is a server, not a folder: `hardwon login {place}` uses it")
    url, home = (home, None) if home and _files.is_database(home) else ("", home)
    settings = Settings(os.path.abspath(home) if home else default_home(environ))
    variable = f"{PREFIX}HOME" if environ.get(f"{PREFIX}HOME") else "default"
    origins = {"home": "argument" if home else variable}
    file = file_content(os.path.join(settings.home, "config.toml"))
    ours = (PREFIX, PUBLISHED, *_FOREIGN.values())  # in a plain dictionary for fast look-ups
    environ = {name: value for name, value in environ.items() if name.startswith(ours)}
    for section in sections(settings):
        values = getattr(settings, section)
        for name, default in values._asdict().items():
            key = f"{section}.{name}"
            raw, origin = _find_value(section, name, file, environ)
            if origin:
                values = values._replace(**{name: parse(f"{key} ({origin})", raw, default)})
                origins[key] = origin
        settings = settings._replace(**{section: values})
    settings = settings._replace(origins=tuple(origins.items()))
    return settings.on_database(url) if url else settings


def default_home(environ: Mapping[str, str] = os.environ) -> str:
    """`$HARDWON_HOME`, or `.hardwon` in the user's home directory."""
    if path := environ.get(f"{PREFIX}HOME"):
        return os.path.abspath(os.path.expanduser(path))
    user = os.path.expanduser("~")
    if user == "~" or not os.path.isabs(user):
        raise StorageError("~", "no home directory is known", "set HARDWON_HOME to a directory")
    return os.path.join(user, ".hardwon")


def parse(key: str, raw: Any, default: Any) -> Any:
    """The value with the type of its default; InvalidInput names the setting if that fails."""
    read, kind = _KINDS[type(default)]
    try:
        return read(raw)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidInput(f"setting {key}: {raw!r} is not {kind}") from error


def duration(raw: Any) -> timedelta:
    """A duration in Go's syntax (`1m30s`, `500ms`, `168h`) or a number of seconds."""
    text = str(raw).strip()
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        seconds = float(raw)
    elif text.replace(".", "", 1).isdecimal():
        seconds = float(text)
    else:
        parts = re.findall(rf"(?<![0-9.])([0-9.]++)({'|'.join(_UNITS)})", text)
        if not parts or "".join(map("".join, parts)) != text:
            raise ValueError(f"not a duration: {raw!r}")
        seconds = sum(float(number) * _UNITS[unit] for number, unit in parts)
    if not 0 <= seconds <= _LONGEST:  # so that NaN is refused as well
        raise ValueError(f"not a duration of at most {_LONGEST // 31_536_000} years: {raw!r}")
    return timedelta(seconds=seconds)


def span(value: timedelta | str, label: str) -> timedelta:
    """A span of time that a caller gave, perhaps as a text such as `30d`; else InvalidInput."""
    if isinstance(value, timedelta):
        return value
    try:
        return duration(value)
    except (ValueError, KeyError, OverflowError) as error:
        raise InvalidInput(
            f"{label!r} must be a duration such as 12h or 30d, not {value!r}"
        ) from error


def _not_negative(number: T) -> T:
    if not number >= 0:  # so that NaN is refused as well
        raise ValueError(number)
    return number


def _boolean(raw: Any) -> bool:
    text = str(raw).strip().lower()
    if text not in _TRUE | _FALSE:
        raise ValueError(text)
    return text in _TRUE


# How a setting of each type is read, and what it has to be.
_KINDS: dict[type, tuple[Callable[[Any], Any], str]] = {
    bool: (_boolean, "true or false"),
    int: (lambda raw: _not_negative(int(str(raw))), "a whole number, 0 or more"),
    float: (lambda raw: _not_negative(float(raw)), "a number, 0 or more"),
    str: (str, "a text"),
    timedelta: (duration, "a duration such as 500ms, 5s, 2m or 168h"),
    Secret: (lambda raw: Secret(str(raw).strip()), "a text"),
}
# The variables that providers' own programs read.
_FOREIGN = {"MODEL_ANTHROPIC_KEY": "ANTHROPIC_API_KEY", "MODEL_OPENAI_KEY": "OPENAI_API_KEY"}


def variables(section: str, name: str) -> list[str]:
    """The environment variables of a setting, the plainest first."""
    plain = f"{section}_{name}".upper()
    names = [plain, f"REFLEXION_{plain}", f"QUALITY_REFLEXION_{plain}"]
    if section in {"reflexion", "hyde"}:
        names = [plain, f"QUALITY_{plain}"]
    if section == "scope":
        names = [plain, name.upper()]  # the commands' own: HARDWON_AGENT
    foreign = [_FOREIGN[plain]] if plain in _FOREIGN else []
    return [*(PREFIX + variable for variable in names), *foreign]


def _find_value(
    section: str, name: str, file: dict[str, Any], environ: Mapping[str, str]
) -> tuple[Any, str]:
    for variable in variables(section, name):
        if variable in environ:
            return environ[variable], variable
    group = file.get(section)
    if isinstance(group, dict) and name in group:
        return group[name], "config.toml"
    # The published system has variables for these sections only.
    named = {"reflexion": "REFLEXION", "queue": "REFLEXION_QUEUE", "hyde": "HYDE"}.get(section)
    published = f"{PUBLISHED}{named}_{name.upper()}" if named else ""
    return (environ[published], published) if published in environ else (None, "")


def file_content(path: str) -> dict[str, Any]:
    """The content of config.toml as a dictionary; {} if there is no file."""
    try:
        text = _files.content(path, _FILE_LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise storage_error(error, path) from error
    import tomllib

    try:
        return tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise StorageError(path, f"not valid TOML ({error})", "correct or remove it") from error
