"""Short runs whose fix is an argument in another form, each with the fix or None."""

from __future__ import annotations

from tests.failures.fix_cases import case, tool

ARGUMENTS = (
    case(
        "times without their seconds",
        (
            tool("book", begins="2026-05-19 12:00:00", ends="2026-05-19 13:00:00", room="R-1"),
            "!ValueError: unconverted data remains: :00",
        ),
        (tool("book", begins="2026-05-19 12:00", ends="2026-05-19 13:00", room="R-1"), "ok"),
        sort="argument",
        says=("Give `begins` and `ends` as YYYY-MM-DD HH:MM.",),
        never=("2026", "12:00"),
    ),
    case(
        "another time in the same form",
        (tool("move", at="2026-05-20 10:00", id="E-5"), "!The room is taken at that time"),
        (tool("move", at="2026-05-21 11:00", id="E-5"), "ok"),
    ),
    case(
        "times in two forms",
        (tool("book", begins="12.5.", day="tomorrow", id="R-1"), "!The time is not valid"),
        (tool("book", begins="12:30", day="2026-05-12", id="R-1"), "ok"),
    ),
    case(
        "a time that was given too, where the error names another argument",
        (tool("pay", amount="?", on="?", to="A-1"), "!amount: Input should be a valid number"),
        (tool("pay", amount=12, on="2026-05-12", to="A-1"), "ok"),
        sort="argument",
        says=("Give `amount` as a number",),
        never=("`on`",),
    ),
    case(
        "letters that the error quotes",
        (tool("share", file="F-77", right="read"), "!right: Input should be 'r' or 'rw'"),
        (tool("share", file="F-77", right="r"), "ok"),
        sort="argument",
        says=("Give `right` as one of `r`, `rw`.",),
    ),
    case(
        "fewer words for a search",
        (tool("find_files", text="Plans for the Sea"), "!ValueError: No files found. Try others."),
        (tool("find_files", text="sea plans"), '[{"id": 7}]'),
        sort="argument",
        says=("Give fewer words in `text`.",),
        never=("sea",),
    ),
    case(
        "other words for a search",
        (tool("find_files", text="plans for the sea"), "!ValueError: No files found. Try others."),
        (tool("find_files", text="plans holidays"), '[{"id": 7}]'),
    ),
    case(
        "fewer words where more are no trouble",
        (tool("rename", id="F-77", to="plans for the sea"), "!The file is locked"),
        (tool("rename", id="F-77", to="plans"), "ok"),
    ),
    case(
        "a name of a query that is another one every time",
        (tool("ask", sql="select aeg from t;"), '!column "aeg" does not exist'),
        (tool("ask", sql="select age from t;"), "1"),
    ),
    case(
        "a word that was looked for, and is no name of a query",
        (tool("look_up", text="Bremen north"), "!the field Bremen is not known"),
        (tool("look_up", text="Kassel north"), "1"),
    ),
    case(
        "a query with more than a name changed",
        (tool("ask", sql="select age from t;"), '!column "age" does not exist'),
        (tool("ask", sql="select size, weight from t;"), "1"),
    ),
    case(
        "several that fit",
        (tool("pick", by="Anna"), "!Anna is ambiguous: multiple matches"),
        (tool("pick", by="Anna from the office"), "ok"),
        sort="argument",
        says=("Make `by` more exact: it must name one thing only.",),
        never=("Anna",),
    ),
    case(
        "a word behind a name that the error does not have",
        (tool("order_by", field="age"), "!this field cannot be sorted"),
        (tool("order_by", field="age.raw"), "ok"),
    ),
    case(
        "a missing argument that a result has given",
        (tool("save", page="p-4410"), "!version: Field required"),
        (tool("load", page="p-4410"), '{"page": "p-4410", "version": 31}'),
        (tool("save", page="p-4410", version=31), "ok"),
        sort="argument",
        says=("Pass `version` too, from `version` in the result of `load`.",),
        never=("31", "4410"),
    ),
    case(
        "a missing argument that no result has given",
        (tool("save", page="p-4410"), "!title: Field required"),
        (tool("load", page="p-4410"), '{"page": "p-4410", "name": "Plan"}'),
        (tool("save", page="p-4410", title="Plan"), "ok"),
        sort="argument",
        says=("Pass `title` too.",),
    ),
    case(
        "one word more in a search, that the error has as well",
        (tool("find", text="summer"), "!No trips found"),
        (tool("find", text="summer trip"), "one"),
    ),
    case(
        "several that fit, and another argument that changed",
        (tool("pick", by="Anna", page=1, text="all"), "!Anna is ambiguous: multiple matches"),
        (tool("pick", by="Anna", page=1, text="some"), "ok"),
    ),
    case(
        "another name that the error has as well",
        (tool("order_by", field="age"), "!age cannot be sorted, unlike topic"),
        (tool("order_by", field="topic"), "ok"),
    ),
    case(
        "a function that is not there",
        (tool("ask", query="SELECT middle(age) FROM people"), "!no such function: middle"),
        (tool("ask", query="SELECT mean(age) FROM people"), "41"),
        sort="argument",
        says=("In `query`, there is no function `middle`; `mean` worked in its place.",),
    ),
)
