"""Settings, tenants and keys are for those who own them."""

from __future__ import annotations

import re

import pytest

from tests.surfaces.serve.pages.read_pages import values
from tests.surfaces.serve.pages.stocked import Reader
from tests.surfaces.serve.served import Served


def test_settings_show_where_they_were_set_and_no_secret(server: Served, reader: Reader) -> None:
    rows = {one["key"]: one for one in values(reader, "/settings.json")["rows"]}

    assert rows["budget.calls"]["origin"] == "default"
    assert rows["home"]["value"] == server.hw.settings.home


def test_a_key_is_made_shown_once_and_revoked(server: Served, reader: Reader) -> None:
    answer = reader.post("/keys", role="viewer", note="the dashboard", days="7")

    found = re.search(r"hw_\w+_[\w-]+", answer.body.decode())
    assert answer.status == 200
    assert found
    viewer = Reader(server, found[0])
    assert "hw_" not in reader.get("/keys")
    (row,) = values(reader, "/keys.json")["rows"]
    assert (row["role"], row["note"]) == ("viewer", "the dashboard")
    reader.post("/keys/revoke", id=row["id"])
    assert viewer.ask("/").status == 303


@pytest.mark.parametrize("days", ["0", "10000", "soon", "9" * 5000])
def test_a_lifetime_that_is_no_number_of_days_is_refused(reader: Reader, days: str) -> None:
    answer = reader.post("/keys", role="viewer", days=days)

    assert answer.status == 400
    assert values(reader, "/keys.json")["rows"] == []


@pytest.mark.parametrize("role", ["viewer", "curator"])
def test_settings_and_keys_are_for_admins(server: Served, role: str) -> None:
    reader = Reader(server, server.key(role))

    assert reader.ask("/keys").status == 403
    assert reader.ask("/settings").status == 403
    assert reader.post("/keys", role="admin").status == 403
    assert 'href="/keys"' not in reader.get("/")


def test_settings_are_for_the_owner_of_the_home(server: Served) -> None:
    admin = Reader(server, server.key("admin"))

    assert admin.ask("/settings").status == 403
    assert admin.ask("/tenants").status == 403
    assert admin.post("/tenants/choose", tenant="other").status == 403
    assert 'href="/settings"' not in admin.get("/")
    assert 'href="/tenants"' not in admin.get("/")


def test_the_owner_of_the_home_looks_at_one_tenant_after_another(
    server: Served, reader: Reader
) -> None:
    server.key("viewer", tenant="acme")
    server.hw.agent("painter", tenant="acme").learn("Wash the brushes at once")
    rows = {one["name"]: one for one in values(reader, "/tenants.json")["rows"]}
    facts = {name: rows["acme"][name] for name in ("agents", "lessons", "keys")}
    assert facts == {"agents": ["painter"], "lessons": 1, "keys": 1}

    reader.post("/tenants/choose", tenant="acme", next="/tenants")

    assert "Wash the brushes" in reader.get("/lessons")
    assert "Is a directory" not in reader.get("/lessons")
    assert "Is a directory" in Reader(server).get("/lessons")  # another browser is not concerned
    reader.post("/tenants/choose", tenant="default", next="/tenants")
    assert "Is a directory" in reader.get("/lessons")


def test_an_admin_of_a_tenant_makes_no_key_for_another(server: Served) -> None:
    admin = Reader(server, server.key("admin", tenant="acme"))

    admin.post("/keys", role="admin", tenant="default")

    assert {key.tenant for key in server.keys.list()} == {"acme"}
    assert {one["tenant"] for one in values(admin, "/keys.json")["rows"]} == {"acme"}
