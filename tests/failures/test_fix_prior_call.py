"""A tool that has to be called before another."""

from __future__ import annotations

from tests.failures.fix_cases import applied_in, case, shown_by, tool

CASES = (
    case(
        "log in before the call",
        (tool("send_mail", to="x", body="y"), "!401 not authenticated, call login first"),
        (tool("login", user="me"), "ok"),
        (tool("send_mail", to="x", body="y"), "sent"),
        sort="preparation",
        says=("`login`",),
    ),
    case(
        "a tool that the error names",
        (tool("page_click", ref="e1"), '!A dialog is open. It is handled by "page_answer_dialog".'),
        (tool("page_answer_dialog", accept=True), "ok"),
        sort="preparation",
        says=("Call `page_answer_dialog` first",),
    ),
    case(
        "a word of the error that is a tool by chance",
        (tool("send_mail", to="p-1002"), "!The mailbox is not open for new mail"),
        (tool("open", path="notes.txt"), "text"),
    ),
    case(
        "the only change between two equal calls",
        (tool("drop_group", group="g-7710"), "!resource g-7710 has a dependent object"),
        (tool("list_cards", group="g-7710"), '{"cards": ["c-4410"]}'),
        (tool("drop_card", card="c-4410"), "ok"),
        (tool("drop_group", group="g-7710"), "ok"),
        sort="preparation",
        says=("Call `drop_card` first, then `drop_group` again",),
        never=("7710",),
    ),
    case(
        "the only change on the same object",
        (tool("drop_disk", disk="d-1001"), "!d-1001 is in use"),
        (tool("stop_host", host="h-2002"), "ok"),
        (tool("release_disk", disk="d-1001"), "ok"),
        (tool("drop_disk", disk="d-1001"), "ok"),
        sort="preparation",
        says=("`release_disk` first",),
    ),
    case(
        "a call that gets further",
        (tool("drop_base", name="shop-base"), "!shop-base is protected"),
        (tool("unprotect", name="shop-base"), "ok"),
        (tool("drop_base", name="shop-base"), "!final_copy is required"),
        sort="preparation",
        says=("`unprotect` first",),
    ),
    case(
        "a version that was given anew",
        (tool("solve", id="T-4410", version=3), "!A ticket must have an assignee first."),
        (tool("assign", id="T-4410", person="p-1"), '{"id": "T-4410", "version": 4}'),
        (tool("solve", id="T-4410", version=4), "ok"),
        sort="preparation",
        says=("`assign` first",),
    ),
    case(
        "what was done meanwhile and not the argument",
        (tool("drop_base", name="shop-base"), "!shop-base has a copy that must be deleted first"),
        (tool("delete_copy", name="shop-base"), "ok"),
        (tool("drop_base", final="x", name="shop-base"), "ok"),
        sort="preparation",
        says=("`delete_copy` first",),
    ),
    case(
        "what the first call is given",
        (tool("drop_zone", zone="z-7710"), "!Zone z-7710 still has 1 record; delete them first."),
        (tool("drop_record", name="www", zone="z-7710"), "ok"),
        (tool("drop_zone", zone="z-7710"), "ok"),
        sort="preparation",
        says=("Call `drop_record` first, with the same `zone`, then `drop_zone` again.",),
        never=("www",),
    ),
    case(
        "what the first call is given by another name",
        (tool("join", source="t-4410", target="t-4411"), "!Solved tickets cannot be joined"),
        (tool("change", state="open", ticket="t-4410"), "ok"),
        (tool("join", source="t-4410", target="t-4411"), "ok"),
        sort="preparation",
        says=(
            "`change` first, with this `source` as `ticket` and `state` open, then `join` again.",
        ),
        never=("4410",),
    ),
    case(
        "a switch that the error speaks of",
        (tool("drop_base", name="shop"), "!The base is protected against deletion"),
        (tool("change_base", deletion_guard=False, name="shop"), "ok"),
        (tool("drop_base", name="shop"), "ok"),
        sort="preparation",
        says=("with the same `name` and `deletion_guard` false, then",),
    ),
    case(
        "a switch that a run decides on",
        (tool("page_look"), '!A dialog is open. It is handled by "page_answer_dialog".'),
        (tool("page_answer_dialog", accept=True), "ok"),
        sort="preparation",
        says=("Call `page_answer_dialog` first, then `page_look` again.",),
    ),
    case(
        "what the first call gives",
        (tool("solve", id="T-4410", version=3), "!A ticket must have an assignee first."),
        (tool("assign", id="T-4410", person="p-1"), '{"id": "T-4410", "version": 4}'),
        (tool("solve", id="T-4410", version=4), "ok"),
        sort="preparation",
        says=("with the same `id`, take `version` from its result, then",),
    ),
    case(
        "a limit of the service",
        (tool("get_row", key="k-1"), '!{"status": 429, "message": "Too many requests", "wait": 6}'),
        (tool("pause", seconds=6), "ok"),
        (tool("get_row", key="k-1"), "{}"),
        sort="preparation",
        says=("Call `pause` first, with the `seconds` that the error names, then the same call",),
        never=("6", "get_row"),
    ),
    case(
        "a tool that the error names by a short word, among other changes",
        (tool("open_gate", gate="north gate"), "!north gate is shut and you have no pin"),
        (tool("go_to", place="the desk"), "ok"),
        (tool("get_pin"), "here it is"),
        (tool("go_to", place="north gate"), "ok"),
        (tool("open_gate", gate="north gate"), "ok"),
        sort="preparation",
        says=("Call `get_pin` first, then `open_gate` again",),
    ),
    case(
        "the value in another tool, that is about something else",
        (tool("list_members_of_room", room="Kim Lee"), "!there is no room of this name"),
        (tool("read_inbox", user="Kim Lee"), "Kim Lee: 2 mails"),
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)
