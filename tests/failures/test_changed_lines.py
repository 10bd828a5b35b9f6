"""The lines that a script lacked."""

from __future__ import annotations

import pytest

from hardwon.core.values.lesson import Fix
from hardwon.knowledge.reading.changed_lines import lines_fix
from tests.failures.fix_cases import applied_in, case, shown_by, step_of, told_apart, tool

SCRIPT = "cat <<'EOF' > load.py\nimport csv\n{}\nrows = list(csv.reader(f))\nprint(rows)\nEOF"


CASES = (
    case(
        "an encoding",
        (SCRIPT.format("f = open('data.csv')"), ""),
        (
            "python load.py",
            '!  File "load.py", line 3, in <module>\n    rows = list(csv.reader(f))\n'
            "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3: wrong encoding",
        ),
        (SCRIPT.format("f = open('data.csv', encoding='utf-8')"), ""),
        ("python load.py", "[['a']]"),
        sort="lines",
        says=("encoding='utf-8'",),
    ),
    case(
        "tables of a script",
        (
            "cat <<'EOF' > try.py\nfrom orm import Base, Session, engine\n\n\nclass Order(Base):\n"
            "    total = 1\n\n\nSession().add(Order())\nEOF\npython try.py",
            '!  File "try.py", line 8, in <module>\n    Session().add(Order())\n'
            "sqlalchemy.exc.OperationalError: no such table: orders",
        ),
        (
            "cat <<'EOF' > try.py\nfrom orm import Base, Session, engine\n\n\nclass Order(Base):\n"
            "    total = 1\n\n\nBase.metadata.create_all(engine, tables=[Order.__table__])\n"
            "Session().add(Order())\nEOF\npython try.py",
            "ok",
        ),
        sort="lines",
        says=("create_all",),
    ),
    case(
        "an edit tool",
        (
            tool(
                "Write",
                file_path="/srv/a/run.py",
                content=(
                    "import asyncio\n\nasync def go():\n    pass\n\n"
                    "loop = asyncio.get_event_loop()\n"
                    "loop.run(go())\n"
                ),
            ),
            "",
        ),
        (
            "python run.py",
            '!  File "/srv/a/run.py", line 6, in <module>\n'
            "    loop = asyncio.get_event_loop()\n"
            "RuntimeError: There is no current event loop in thread 'MainThread'.",
        ),
        (
            tool(
                "Edit",
                file_path="/srv/a/run.py",
                old_string="loop = asyncio.get_event_loop()\n",
                new_string="loop = asyncio.new_event_loop()\nasyncio.set_event_loop(loop)\n",
            ),
            "edited",
        ),
        ("python run.py", ""),
        sort="lines",
        says=("asyncio.new_event_loop()", "\n"),
    ),
    case(
        "a cell of a notebook",
        (
            ("python", "import pandas as pd\ndf = pd.read_csv('x.csv')\ndf['day'].dt.year"),
            "!AttributeError: Can only use .dt accessor with datetimelike values",
        ),
        (
            (
                "python",
                "import pandas as pd\ndf = pd.read_csv('x.csv')\n"
                "df['day'] = pd.to_datetime(df['day'])\ndf['day'].dt.year",
            ),
            "0 2024",
        ),
        sort="lines",
        says=("pd.to_datetime(df['day'])",),
    ),
    case(
        "a statement of SQL",
        (
            ("sql_query", "select total from orders\ngroup by customer"),
            '!ERROR: column "orders.total" must appear in the GROUP BY clause or be used '
            "in an aggregate function",
        ),
        (("sql_query", "select sum(total) from orders\ngroup by customer"), "12"),
        sort="lines",
        says=("sum(total)",),
    ),
    case(
        "calls that came too late",
        (
            "cat <<'EOF' > t.py\nimport app\nfrom app import models\n"
            "app.configure(\n    debug=1,\n)\n"
            "app.start()\nprint(models.all())\nEOF\npython t.py",
            '!  File "t.py", line 2, in <module>\n    from app import models\n'
            "RuntimeError: app is not configured, call configure before models are imported",
        ),
        (
            "cat <<'EOF' > t.py\nimport app\napp.configure(\n    debug=1,\n)\napp.start()\n"
            "from app import models\nprint(models.all())\nEOF\npython t.py",
            "[]",
        ),
        sort="lines",
        says=("app.configure(\n    debug=1,\n)\napp.start()",),
    ),
    case(
        "definitions that were moved for another reason",
        (
            "cat <<'EOF' > go.py\nimport kit\n\nclass Book(kit.Model):\n    pass\n\n"
            "kit.load([])\nEOF\n",
            "",
        ),
        (
            "python go.py",
            '!  File "go.py", line 3, in <module>\n    class Book\nRuntimeError: nothing is ready',
        ),
        (
            "mkdir shop && touch shop/__init__.py && cat <<'EOF' > shop/models.py\nimport kit\n\n"
            "class Book(kit.Model):\n    pass\nEOF\n"
            "cat <<'EOF' > go.py\nimport kit\n\nkit.load(['shop'])\nEOF\n",
            "",
        ),
        ("python go.py", "fine"),
        sort=None,
    ),
    case(
        "a row that a script forgot to make",
        ("cat <<'EOF' > go.py\nimport db\nb = Book.objects.get(name='x')\nEOF\n", ""),
        (
            "python go.py",
            '!  File "go.py", line 2, in <module>\nshop.models.DoesNotExist: Book matching query '
            "does not exist.",
        ),
        ("cat <<'EOF' > go.py\nimport db\nb = Book.objects.get_or_create(name='x')\nEOF\n", ""),
        ("python go.py", "fine"),
        sort=None,
    ),
    case(
        "a count in place of an object",
        (tool("get_dearest_variant", product_id="77"), "!Error: details not valid"),
        (tool("count_variants", product_id="77"), "12"),
        sort=None,
    ),
    case(
        "a folder for something else",
        ("python serve.py", "!The app module is not configured"),
        ("mkdir -p my_app && cat <<'EOF' > serve.ini\nport=1\nEOF\n", ""),
        ("python serve.py", "fine"),
        sort=None,
    ),
    case(
        "an edit that nobody looked at again",
        ("sed -i '40i\\        check()' lib/app.py", ""),
        (
            "python run.py",
            '!  File "/srv/lib/app.py", line 41\nIndentationError: unexpected indent',
        ),
        ("sed -i '40d' lib/app.py", ""),
        ("python run.py", "fine"),
        sort=None,
    ),
    case(
        "a patch",
        (
            "cat <<'EOF' > go.py\nimport db\n\ndb.query('x')\nEOF\npython go.py",
            '!  File "go.py", line 3\n    db.query()\nRuntimeError: db is not connected',
        ),
        (
            tool(
                "apply_patch",
                input="*** Begin Patch\n*** Update File: go.py\n@@\n import db\n"
                "+db.connect(pool=1)\n"
                "*** End Patch",
            ),
            "ok",
        ),
        ("python go.py", "3 rows"),
        sort="lines",
        says=("db.connect(pool=1)",),
    ),
    case(
        "several edits at once",
        (
            "cat <<'EOF' > go.py\nimport db\n\ndb.query('x')\nEOF\npython go.py",
            '!  File "go.py", line 3\n    db.query()\nRuntimeError: db is not connected',
        ),
        (
            tool(
                "MultiEdit",
                file_path="/w/go.py",
                edits=[
                    {"old_string": "import db\n", "new_string": "import db\ndb.connect(pool=1)\n"}
                ],
            ),
            "ok",
        ),
        ("python go.py", "3 rows"),
        sort="lines",
        says=("db.connect(pool=1)",),
    ),
    case(
        "an editor whose command is an argument",
        (
            tool(
                "editor",
                command="create",
                path="/w/go.py",
                file_text="import db\n\ndb.query('x')\n",
            ),
            "",
        ),
        (
            "python go.py",
            '!  File "/w/go.py", line 3\n    db.query()\nRuntimeError: db is not connected',
        ),
        (
            tool(
                "editor",
                command="str_replace",
                path="/w/go.py",
                old_str="import db\n",
                new_str="import db\n\ndb.connect(pool=1)\n",
            ),
            "ok",
        ),
        ("python go.py", "3 rows"),
        sort="lines",
        says=("db.connect(pool=1)",),
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)
test_a_call_applies_a_fix_or_not = told_apart(
    CASES,
    [
        ("tables of a script", "python - <<'E'\nmeta.create_all(e)\nE", "python - <<'E'\nx()\nE"),
    ],
)


SHOP = "import db\n\n\ndb.rows()"
POOL = '!  File "t.py", line 4, in <module>\n    db.rows()\nRuntimeError: db pool is not open'


def told(
    new: str, *between: str, old: str = SHOP, error: str = POOL, name: str = "t.py"
) -> Fix | None:
    """The fix that two versions of a script show."""

    def ran(code: str) -> str:
        return f"cat > {name} <<'E'\n{code}\nE\npython {name}"

    steps = [step_of(ran(old), error), *map(step_of, between), step_of(ran(new), "rows")]
    return lines_fix(steps, 0)


def test_the_added_line_is_told_with_what_it_replaces() -> None:
    fix = told("import db\n\ndb.open_pool(size=1)\ndb.rows()")

    assert fix
    assert fix.text == "In the script, with your own names:\ndb.open_pool(size=1)"
    assert fix.key == "lines open_pool"


def test_code_given_with_the_call_is_called_code() -> None:
    error = '!  File "<stdin>", line 4, in <module>\nRuntimeError: db pool is not open'
    code = "import db\n\ndb.open_pool(size=1)\ndb.rows()"
    steps = [
        step_of(f"python - <<'E'\n{SHOP}\nE", error),
        step_of(f"python - <<'E'\n{code}\nE", "x"),
    ]
    fix = lines_fix(steps, 0)

    assert fix
    assert fix.text.startswith("In the code, ")


@pytest.mark.parametrize(
    "new",
    [
        "import db\n\nprint(db.pool)\ndb.rows()",
        "import db\n\n\ndb.rows()\ndb.open_pool(size=1)",
        "import db\n\ndef open_pool():\n    db.pool = 1\nopen_pool()\ndb.rows()",
        "import db\n\ndb.pool\ndb.rows()",
        "import db\n\ndb.open_pool('kim@example.org')\ndb.rows()",
        "import db\n\ndb.open_pool(" + "size_of_the_pool=1, " * 30 + ")\ndb.rows()",
    ],
    ids=["noise", "below the failure", "its own function", "no call", "personal", "too long"],
)
def test_lines_that_explain_nothing_are_not_told(new: str) -> None:
    assert told(new) is None


@pytest.mark.parametrize(("looks", "is_told"), [(12, True), (13, False)])
def test_the_next_version_comes_within_some_steps(looks: int, is_told: bool) -> None:
    new = "import db\n\ndb.open_pool(size=1)\ndb.rows()"

    assert bool(told(new, *["ls"] * looks)) is is_told


@pytest.mark.parametrize(
    "error",
    [
        "!NameError: name 'db' is not defined",
        "!AssertionError: pool",
        "!shop.models.Pool.DoesNotExist: pool",
    ],
)
def test_a_slip_of_the_script_itself_is_no_lesson(error: str) -> None:
    assert told("import db\n\ndb.open_pool(size=1)\ndb.rows()", error=error) is None


def test_sources_that_were_mended_explain_the_success_otherwise() -> None:
    new = "import db\n\ndb.open_pool(size=1)\ndb.rows()"

    assert told(new, "sed -i s/a/b/ src/db.py") is None


def test_a_line_that_came_too_late_is_to_come_first() -> None:
    old = "import db\n\n\ndb.rows()\ndb.open_pool()"
    fix = told("import db\ndb.open_pool()\n\ndb.rows()", old=old)

    assert fix
    assert fix.text == "In the script, with your own names:\ndb.open_pool()"
    assert fix.key == "lines open_pool"


def test_the_first_line_of_a_script_may_come_too_early() -> None:
    error = POOL.replace("line 4", "line 1")
    fix = told("db.open_pool()\ndb.rows()", old="db.rows()\ndb.open_pool()", error=error)

    assert fix
    assert fix.key == "lines open_pool"


def test_an_import_that_the_added_lines_do_not_need_is_not_told() -> None:
    fix = told("import db\nimport json\nfrom db.pools import SMALL\ndb.open_pool(SMALL)\ndb.rows()")

    assert fix
    assert "from db.pools import SMALL\ndb.open_pool(SMALL)" in fix.text
    assert "json" not in fix.text


@pytest.mark.parametrize(("count", "is_told"), [(4, True), (5, False)])
def test_a_few_new_lines_are_told_though_the_error_names_none_of_them(
    count: int, is_told: bool
) -> None:
    error = POOL.replace("db pool is not open", "it is broken")
    names = ("alpha", "bravo", "carol", "delta", "erika")[:count]
    lines = "\n".join(f"kit.{name}()" for name in names)

    assert bool(told(f"import db\n\n{lines}\ndb.rows()", error=error)) is is_told
