"""The bearer token of local clients for hardwon's servers on loopback."""

from __future__ import annotations

import hmac
import os
import secrets

from hardwon.core.errors import storage_error


def kept_token(home: str) -> str:
    """The token of this home, readable by its owner only; made on first use."""
    path = os.path.join(home, "token")
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            with open(path, encoding="ascii") as file:
                return file.read().strip()
        with os.fdopen(handle, "w", encoding="ascii") as file:
            token = secrets.token_urlsafe(32)
            file.write(token + "\n")
    except OSError as error:
        raise storage_error(error, path) from error
    return token


def credentials(header: str) -> str:
    """What an Authorization header shows; its scheme `Bearer` may be in any case, or missing."""
    scheme, _, rest = header.strip().partition(" ")
    return rest.strip() if scheme.lower() == "bearer" else header.strip()


def is_bearer(header: str, token: str) -> bool:
    """Whether an Authorization header carries the token; takes the same time for any wrong one."""
    shown = credentials(header)
    return bool(token) and hmac.compare_digest(shown.encode(), token.encode())
