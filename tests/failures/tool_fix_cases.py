"""Short runs of tools with named arguments, each with the fix it shows or None."""

from __future__ import annotations

from tests.failures.fix_cases import case, tool

PAGE = '- textbox "Name" [ref=e12]\n- button "Save" [ref=e{}]'
BUCKETS = "<Buckets><Bucket><Name>logs</Name><Region>eu-west-3</Region></Bucket></Buckets>"

TOOLS = (
    case(
        "a tool that the error names",
        (tool("page_click", ref="e1"), '!A dialog is open. It is handled by "page_answer_dialog".'),
        (tool("page_answer_dialog", accept=True), "ok"),
        sort="preparation",
        says=("Call `page_answer_dialog` first",),
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
        "an argument that cures the later failure only",
        (tool("drop_base", name="shop-base"), "!shop-base is protected"),
        (tool("drop_base", name="shop-base"), "!final_copy is required"),
        (tool("drop_base", final_copy="x", name="shop-base"), "ok"),
        sort="argument",
        says=("Pass `final_copy` too",),
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
        "a version that has changed",
        (tool("put_row", expected_version=1, key="k-2001"), "!The row has changed since version 1"),
        (tool("get_row", key="k-2001"), '{"key": "k-2001", "version": 7}'),
        (tool("put_row", expected_version=7, key="k-2001"), "ok"),
        sort="argument",
        says=("Take `expected_version` from `version` in the result of `get_row`",),
    ),
    case(
        "a mark of an older page",
        (tool("page_look"), PAGE.format(13)),
        (tool("page_click", ref="e13"), "!Ref e13 not found in the current snapshot"),
        (tool("page_look"), PAGE.format(31)),
        (tool("page_click", ref="e31"), "ok"),
        sort="argument",
        says=("Take `ref` from `ref` in the latest result of `page_look`", "no longer holds"),
        never=("e31",),
    ),
    case(
        "a value of an xml result",
        (tool("list_buckets"), BUCKETS),
        (tool("list_objects", bucket="logs", region="us-east-1"), "!The region is not right"),
        (tool("list_objects", bucket="logs", region="eu-west-3"), "<Keys></Keys>"),
        sort="argument",
        says=("Take `region` from `Region` in the result of `list_buckets`",),
    ),
    case(
        "words that the error offers",
        (tool("file_bug", level="worst", title="t"), "!level: 'worst' is not one of low, high."),
        (tool("file_bug", level="high", title="t"), "ok"),
        sort="argument",
        says=("Give `level` as one of `low`, `high`.",),
    ),
    case(
        "a whole number",
        (tool("credit", cents=12.5, id="C-1002"), "!cents: A valid integer is required."),
        (tool("credit", cents=1250, id="C-1002"), "ok"),
        sort="argument",
        says=("Give `cents` as a whole number.",),
    ),
    case(
        "an argument within an object",
        (tool("make_base", name="b"), "!Resources must carry the tag owner."),
        (tool("make_base", name="b", tags={"owner": "me"}), "ok"),
        sort="argument",
        says=("Pass `owner` in `tags` too.",),
    ),
    case(
        "a look by another name",
        (tool("get_person", person_id="kim@example.com"), "!No person with that id."),
        (tool("search_people", query="kim@example.com"), '[{"email": "kim@example.com"}]'),
        sort="tool",
        says=("Use `search_people` instead (`query`)",),
        never=("kim",),
    ),
    case(
        "a look by another name that finds nothing",
        (tool("get_person", person_id="kim@example.com"), "!No person with that id."),
        (tool("search_people", query="kim@example.com"), "[]"),
    ),
    case(
        "another change with the same values",
        (tool("fill", element="State", ref="e4", text="Draft"), "!Element is not a text field"),
        (tool("choose", element="State", ref="e4", values=["Draft"]), "ok"),
        sort="tool",
        says=("`choose`",),
    ),
    case(
        "a step on the way that needs more",
        (tool("drop_bucket", name="logs", region="eu"), "!The bucket is not empty"),
        (tool("drop_objects", keys=["a"], name="logs", region="eu"), "ok"),
    ),
)
