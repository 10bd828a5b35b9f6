"""The story of a session: counts, first prompt, files, and a summary of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hardwon.core.text.clean import clip, plural
from hardwon.learn.transcripts.insight import Summary, safe_line
from hardwon.learn.transcripts.transcript import USER, FinishedCall, Message, Moment

_PATHS = ("file_path", "path", "filePath", "filename")
_FILES = 2_000


class Story:
    """Counts turns, calls, failures and files as moments come in."""

    def __init__(self) -> None:
        self.turns = self.steps = self.failures = self.messages = 0
        self.task = self._last = ""
        self.tools: Counter[str] = Counter()
        self.files: Counter[str] = Counter()

    def see(self, moment: Moment) -> None:
        self.messages += 1
        if isinstance(moment, FinishedCall):
            self._count_call(moment)
        else:
            self._count_message(moment)

    def summary(self, decisions: tuple[str, ...], fixed: int) -> Summary:
        """Three to five sentences about what happened."""
        return Summary(
            text=" ".join(self._sentences(fixed)),
            task=self.task or "(no task was stated)",
            decisions=decisions[:5],
            duration=f"{self.messages} messages",
        )

    def _count_message(self, message: Message) -> None:
        text = safe_line(message.text, 300)
        if message.who == USER and text:
            self.turns += 1
            self.task = self.task or text
        elif text:
            self._last = text

    def _count_call(self, act: FinishedCall) -> None:
        self.steps += 1
        self.failures += act.step.failed
        self.tools[act.step.tool[:60]] += 1
        path = _edited(act.args)
        if path and (path in self.files or len(self.files) < _FILES):
            self.files[path] += 1

    def _sentences(self, fixed: int) -> list[str]:
        task = self.task.rstrip(".") or "nothing that was written down"
        tools = ", ".join(name for name, _ in self.tools.most_common(3)) or "no tool"
        sentences = [
            f"The user asked for: {clip(task, 200)}.",
            f"The agent made {plural(self.steps, 'call')} in {plural(self.turns, 'turn')}, "
            f"mostly with {tools}.",
            f"{plural(self.failures, 'call')} failed; overcome later: {fixed}.",
        ]
        if self.files:
            names = ", ".join(path.rsplit("/", 1)[-1] for path, _ in self.files.most_common(4))
            sentences.append(f"It edited {plural(len(self.files), 'file')}, most often {names}.")
        if self._last:
            sentences.append(f"It ended with: “{clip(self._last.rstrip('.'), 200)}”.")
        return sentences


def _edited(args: Any) -> str:
    """The file that an edit names; "" for other calls."""
    if not isinstance(args, dict):
        return ""
    if not any(key in args for key in ("new_string", "newString", "new_str", "content")):
        return ""
    return str(next((args[key] for key in _PATHS if isinstance(args.get(key), str)), ""))
