"""The lessons of an agent on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from hardwon.api.client import decode, decode_reports
from hardwon.api.client.local_only import LOCAL_ONLY
from hardwon.api.lessons import Lessons, within
from hardwon.core.errors import InvalidInput, storage_error
from hardwon.core.text.clean import required
from hardwon.core.values.lesson import Change, Lesson, Status
from hardwon.learn.imports import is_database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hardwon.api.client.wire import Wire
    from hardwon.api.lessons import LessonDetails, LessonEdits
    from hardwon.core.values.report import Exposure, LessonVerdict
    from hardwon.core.values.scope import Scope

_MOST, _PAGE = 10_000, 500


class RemoteLessons(Lessons):
    """The same verbs; each is one request, a list one request per page."""

    def __init__(self, wire: Wire, own: Scope) -> None:
        super().__init__(LOCAL_ONLY, own)
        self._wire = wire
        self._place = {"agent": own.agent, "project": own.project, "view": "agent"}

    def add(self, situation: str, correction: str, **more: Unpack[LessonDetails]) -> Lesson:
        if "expires_at" in more:
            raise InvalidInput("a lesson that expires can only be added where the server runs")
        body = {"situation": situation, "correction": correction, **more}
        return self._changed("POST", "/v1/lessons", body)

    def get(self, number: int) -> Lesson:
        return self._lesson(self._wire.get(f"/v1/lessons/{int(number)}", self._place))

    def exposures(self, number: int) -> Sequence[Exposure]:
        answer = self._wire.get(f"/v1/lessons/{int(number)}/exposures", self._place)
        return [decode_reports.exposure(item) for item in answer["items"]]

    def verdict(self, number: int) -> LessonVerdict | None:
        fields = self._wire.get(f"/v1/lessons/{int(number)}/verdict", self._place)["verdict"]
        return decode_reports.verdict(fields) if fields else None

    def search(self, text: str, *, limit: int = 20) -> Sequence[Lesson]:
        return self._listed(limit=within(limit, 200), q=required(text, "query"))

    def edit(self, number: int, **changes: Unpack[LessonEdits]) -> Lesson:
        return self._changed("PATCH", f"/v1/lessons/{int(number)}", changes)

    def guard(self, number: int, *, call: str = "", tool: str = "bash", on: bool = True) -> Lesson:
        body = {"call": call, "tool": tool, "on": on}
        return self._changed("POST", f"/v1/lessons/{int(number)}/guard", body)

    def delete(self, number: int) -> None:
        self._wire.send("DELETE", f"/v1/lessons/{int(number)}", None, self._place)

    def history(self, number: int | None = None) -> Sequence[Change]:
        path = "/v1/history" if number is None else f"/v1/lessons/{int(number)}/history"
        return [decode.change(item, self._scope.tenant) for item in self._items(path, _MOST)]

    def undo(self, number: int | None = None) -> Lesson:
        path = "/v1/history/undo" if number is None else f"/v1/lessons/{int(number)}/undo"
        return self._changed("POST", path, None)

    def approve(self, number: int) -> Lesson:
        return self._changed("POST", f"/v1/lessons/{int(number)}/approve", None)

    def revoke(self, origin: str) -> Sequence[Lesson]:
        answer = self._wire.send("POST", "/v1/lessons/revoke", {"origin": origin}, self._place)
        return [self._lesson(item) for item in answer["items"]]

    def list(self, *, limit: int = 100, status: str = Status.ACTIVE) -> Sequence[Lesson]:
        return self._listed(limit=within(limit, _MOST), status=status)

    def export(self, *, form: str = "jsonl") -> str:
        return self._wire.text("/v1/lessons/export", {**self._place, "form": form})

    def import_from(
        self,
        source: str,
        *,
        trust: bool = False,
        from_tenant: str = "",
        from_agent: str = "",
        tell: Callable[[int, int], None] = lambda done, of: None,
    ) -> Sequence[Lesson]:
        """Import a pack: its file is read here and sent. See `Lessons.import_from`."""
        try:
            if from_tenant or from_agent or is_database(source):
                raise InvalidInput("the store of another system can only be imported where it runs")
            with open(source, "rb") as file:
                pack = file.read()
        except OSError as error:
            raise storage_error(error, source) from error
        query = {**self._place, "trust": trust}
        items = self._wire.send("POST", "/v1/lessons/import", pack, query)["items"]
        return [self._lesson(item) for item in items]

    def _listed(self, *, limit: int, **query: object) -> Sequence[Lesson]:
        return [self._lesson(item) for item in self._items("/v1/lessons", limit, **query)]

    def _items(self, path: str, limit: int, **query: object) -> Iterator[Any]:
        """The rows of a list, page by page, at most `limit`."""
        cursor: str | None = ""
        while cursor is not None and limit > 0:
            parameters: Mapping[str, object] = {
                **self._place,
                **query,
                "limit": min(_PAGE, limit),
                "cursor": cursor or None,
            }
            page = self._wire.get(path, parameters)
            yield from page["items"]
            limit -= len(page["items"])
            cursor = page.get("next")

    def _changed(self, method: str, path: str, body: object) -> Lesson:
        return self._lesson(self._wire.send(method, path, body, self._place))

    def _lesson(self, fields: Any) -> Lesson:
        return decode.lesson(fields, self._scope.tenant)
