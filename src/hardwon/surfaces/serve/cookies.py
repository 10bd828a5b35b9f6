"""The cookie of a login, and the secrets that are made of it.

A browser sends a cookie to every port of a host, so on a loopback address any program that listens
would get it. There the cookie is for a secret path: only this server knows it, and a request needs
both.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from typing import TYPE_CHECKING

from starlette.requests import cookie_parser

if TYPE_CHECKING:
    from starlette.datastructures import Headers

_SECRET_PATH = re.compile(r"/~[0-9a-f]{32}(?=/|$)")


def cookie_name(headers: Headers) -> str:
    """The name of the cookie, with the port: servers on two ports have two."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"hardwon-{port}" if port.isdecimal() else "hardwon"


def shown_cookie(headers: Headers) -> str:
    """The cookie of a browser, or ""."""
    return cookie_parser(headers.get("cookie", "")).get(cookie_name(headers), "")


def path_in(path: str) -> str:
    """The secret path that a path begins with, or ""."""
    found = _SECRET_PATH.match(path)
    return found[0] if found else ""


def path_of(cookie: str, headers: Headers) -> str:
    """The secret path for a cookie; "" if the host of the request is this server's own."""
    return f"/~{_derived(cookie, 'path')}" if is_loopback(host_name(headers)) else ""


def csrf_of(cookie: str) -> str:
    """The token that every form of a login must send."""
    return _derived(cookie, "csrf")


def is_same(shown: str, secret: str) -> bool:
    """Whether the secret was shown; compares in constant time."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), secret.encode())


def host_name(headers: Headers) -> str:
    """The host of the request, without its port."""
    host = headers.get("host", "").lower()
    name, _, port = host.rpartition(":")
    return name if name and port.isdecimal() else host


def is_loopback(name: str) -> bool:
    """Whether a host name means this machine, whose ports belong to many programs."""
    try:
        return ipaddress.ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost"


def _derived(cookie: str, purpose: str) -> str:
    return hashlib.sha256(f"{purpose} {cookie}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
