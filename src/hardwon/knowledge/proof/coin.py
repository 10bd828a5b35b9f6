"""The hold-out coin: decides what a run does not see, the same in every process and store."""

from __future__ import annotations

from hashlib import blake2b

_SIDES = 1 << 64


def toss(salt: str, *, tenant: str, run: str, family: str) -> float:
    """A number in 0 … 1 that depends only on these names; below the share means withheld.

    The coin is tossed per run and family, not per delivery. All doors of a run agree, and twins of
    a lesson share one coin; otherwise the twin would show what is withheld.
    """
    name = "\0".join((salt, tenant, run, family)).encode("utf-8", "replace")
    return int.from_bytes(blake2b(name, digest_size=8).digest(), "big") / _SIDES
