"""A real browser for tests: Debian's Chromium, spoken to over a pipe by the DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.programs import needs

_PATIENCE = 120.0  # seconds for anything that is waited for: a busy machine decides no test
_OPTIONS = (
    "--headless=new --remote-debugging-pipe --no-first-run --no-default-browser-check --no-sandbox"
    " --disable-gpu --disable-dev-shm-usage --disable-background-networking --disable-sync"
    " --disable-component-update --disable-extensions --hide-scrollbars --mute-audio"
)
_WITH_PIPES = """
import os, sys
for own, number in zip(map(int, sys.argv[1:3]), (3, 4)):
    os.dup2(own, number) if own != number else os.set_inheritable(own, True)
os.execv(sys.argv[3], sys.argv[3:])
"""  # where a browser looks for its pipes
_NAMES = {"Enter": "\r", "Tab": "\t", "Escape": ""}


class BrowserError(AssertionError):
    """The browser or its page did not do what was asked."""


class Browser:
    """One Chromium with an empty profile. What the console complains of is kept in `troubles`."""

    def __init__(self, program: str, profile: Path) -> None:
        own_in, self._write = os.pipe()
        self._read, own_out = os.pipe()
        command = [sys.executable, "-c", _WITH_PIPES, str(own_in), str(own_out), program]
        self._process = subprocess.Popen(
            [*command, *_OPTIONS.split(), f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(own_in, own_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"HOME": str(profile)},
        )
        os.close(own_in)
        os.close(own_out)
        self._rest = b""
        self._last = 0
        self._events: list[dict[str, Any]] = []

    def page(self) -> Page:
        """A page with cookies of its own."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        where = {"url": "about:blank", "browserContextId": context}
        target = self.call("Target.createTarget", **where)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session)

    def call(self, method: str, session: str = "", **values: Any) -> dict[str, Any]:
        """The result of a command."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": values}
        sent = json.dumps(message | ({"sessionId": session} if session else {}))
        os.write(self._write, sent.encode() + b"\0")
        wanted, until = self._last, time.monotonic() + _PATIENCE
        while True:
            message = self._message(until)
            if message.get("id") != wanted:
                self._events.append(message)
            elif "error" in message:
                raise BrowserError(f"{method}: {message['error']}")
            else:
                return dict(message["result"])

    def events(self, session: str, method: str) -> list[dict[str, Any]]:
        """What a page has told so far, each once."""
        own = [
            e for e in self._events if (e.get("sessionId"), e.get("method")) == (session, method)
        ]
        self._events = [e for e in self._events if e not in own]
        return [dict(event["params"]) for event in own]

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._read], [], [], left)[0]:
                raise BrowserError("the browser does not answer")
            got = os.read(self._read, 1 << 20)
            if not got:
                raise BrowserError("the browser has ended")
            self._rest += got
        first, self._rest = self._rest.split(b"\0", 1)
        return dict(json.loads(first))

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)


class Page:
    """One tab."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser = browser
        self._session = session
        for part in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{part}.enable")

    def call(self, method: str, **values: Any) -> dict[str, Any]:
        """A command to this page."""
        return self._browser.call(method, self._session, **values)

    def open(self, address: str) -> None:
        """Go to an address and wait until it is shown."""
        failed = self.call("Page.navigate", url=address).get("errorText")
        if failed:
            raise BrowserError(f"{address}: {failed}")
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def run(self, script: str) -> Any:
        """The value of an expression; promises are waited for."""
        got = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in got:
            raise BrowserError(f"{script}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def wait(self, script: str) -> None:
        """Return when an expression is true."""
        until = time.monotonic() + _PATIENCE
        while not self.run(f"Boolean({script})"):
            if time.monotonic() > until:
                raise BrowserError(f"never true: {script}; {self.text()[:2000]}")
            time.sleep(0.02)

    def wait_for(self, words: str) -> None:
        """Return when the page shows these words."""
        self.wait(f"document.body?.innerText.includes({json.dumps(words)})")

    def text(self) -> str:
        """What the page shows."""
        return str(self.run("document.body?.innerText || ''"))

    def press(self, *keys: str) -> None:
        """Press keys, one after another: a letter, or Enter, Tab, Escape."""
        for key in keys:
            typed = _NAMES.get(key, key)
            values = {"key": key, "text": typed} if typed else {"key": key}
            for kind in ("keyDown", "keyUp"):
                self.call("Input.dispatchKeyEvent", type=kind, **values, **_code(key))

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Click what a selector finds."""
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def picture(self, file: Path, *, width: int, dark: bool = False, height: int = 900) -> None:
        """Keep what the whole page looks like."""
        self.look(width=width, dark=dark, height=height)
        got = self.call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(got["data"]))

    def look(self, *, width: int, dark: bool = False, height: int = 900) -> None:
        """Be as wide as a device, in the light or in the dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def troubles(self) -> list[str]:
        """What the console complained of since it was last asked: errors, refused content."""
        told = self._browser.events(self._session, "Log.entryAdded")
        thrown = self._browser.events(self._session, "Runtime.exceptionThrown")
        logged = [str(one["entry"]["text"]) for one in told if one["entry"]["level"] == "error"]
        return logged + [str(one["exceptionDetails"]) for one in thrown]

    def requests(self) -> list[str]:
        """The addresses that were asked for since it was last asked."""
        sent = self._browser.events(self._session, "Network.requestWillBeSent")
        return [str(one["request"]["url"]) for one in sent]

    def wait_for_answer(self, part: str) -> None:
        """Return when the answer to an address that holds this part has begun."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until:
            self._browser.call("Browser.getVersion")  # lets what was told arrive
            got = self._browser.events(self._session, "Network.responseReceived")
            if any(part in str(one["response"]["url"]) for one in got):
                return
            time.sleep(0.02)
        raise BrowserError(f"no answer came from {part}")


def _code(key: str) -> dict[str, Any]:
    numbers = {"Enter": 13, "Tab": 9, "Escape": 27}
    return {"windowsVirtualKeyCode": numbers[key]} if key in numbers else {}


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A browser that ends with the block; the test skips where there is none to be had."""
    browser = Browser(needs("chromium", package="chromium"), profile)
    try:
        yield browser
    finally:
        browser.close()
