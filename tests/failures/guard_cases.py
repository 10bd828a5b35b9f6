"""Short runs that hold one guard each: what keeps a wrong fix from being shown."""

from __future__ import annotations

from tests.failures.fix_cases import RED, case, tool

LOOKS = tuple((f"cat notes{n}.txt", "text") for n in range(14))
BAD = "cat <<'EOF' > t.py\nimport db\n\ndb.rows()\nEOF\npython t.py"
GOOD = "cat <<'EOF' > t.py\nimport db\n\ndb.open_pool(size=1)\ndb.rows()\nEOF\npython t.py"
CLOSED = '!  File "t.py", line 3, in <module>\n    db.rows()\nRuntimeError: db pool is not open'

GUARDS = (
    case(
        "the next version of a script",
        (BAD, CLOSED),
        (GOOD, "3"),
        sort="lines",
        says=("open_pool",),
    ),
    case(
        "an argument that was added",
        (
            "cat <<'EOF' > t.py\nf = open('a')\nx = f.read()\nEOF\npython t.py",
            '!  File "t.py", line 2, in <module>\n'
            "UnicodeDecodeError: 'ascii' codec can't decode byte 0xe2",
        ),
        ("sed -i \"s/open('a')/open('a', encoding='utf-8')/\" t.py\npython t.py", "ok"),
        sort="lines",
        says=("open('a', encoding='utf-8')",),
    ),
    case(
        "lines before the call of the function that fails",
        (
            "cat <<'EOF' > t.py\nimport db\n\ndef go():\n    db.rows()\n\ngo()\nEOF\npython t.py",
            '!  File "t.py", line 6, in <module>\n    go()\n'
            '  File "t.py", line 4, in go\n    db.rows()\nRuntimeError: db pool is not open',
        ),
        (
            "cat <<'EOF' > t.py\nimport db\n\ndef go():\n    db.rows()\n\n"
            "db.open_pool(size=1)\ngo()\nEOF\npython t.py",
            "3",
        ),
        sort="lines",
        says=("db.open_pool(size=1)",),
    ),
    case("a version long after", (BAD, CLOSED), *LOOKS, (GOOD, "3"), sort=None),
    case(
        "a script that still fails so",
        (BAD, CLOSED),
        (GOOD, CLOSED),
        sort=None,
    ),
    case(
        "code that the script runs was mended as well",
        (BAD, CLOSED),
        ("sed -i 's/x/y/' lib/db.py", ""),
        (GOOD, "3"),
        sort=None,
    ),
    case(
        "lines far from the error",
        (
            "cat <<'EOF' > t.py\nimport db\n\na = 1\nb = 2\nc = 3\ndb.rows()\nEOF\npython t.py",
            '!  File "t.py", line 6, in <module>\n    db.rows()\nRuntimeError: db pool is not open',
        ),
        (
            "cat <<'EOF' > t.py\nimport db\nlevel = 7\na = 1\nb = 2\nc = 3\ndb.open_pool(size=1)\n"
            "db.rows()\nother = 9\nEOF\npython t.py",
            "3",
        ),
        sort="lines",
        says=("open_pool",),
        never=("level", "other"),
    ),
    case(
        "definitions that moved beside the script",
        (
            "cat <<'EOF' > t.py\nimport orm\n\nclass Row(orm.Base):\n    pass\n\n"
            "Row().save()\nEOF\npython t.py",
            "!RuntimeError: registry is closed",
        ),
        (
            "cat <<'EOF' > rows.py\nimport orm\n\nclass Row(orm.Base):\n    pass\nEOF\n"
            "cat <<'EOF' > t.py\nfrom rows import Row\n\nRow().save()\nEOF\npython t.py",
            "ok",
        ),
        sort=None,
    ),
    case(
        "another address after a timeout",
        (tool("http", url="https://a.example/v1/x"), "!gateway timeout"),
        (tool("http", url="https://a.example/v2/x"), "{}"),
        sort=None,
    ),
    case(
        "a file that the run never edited",
        (
            "python run.py",
            '!  File "/srv/lib/app.py", line 41\nIndentationError: unexpected indent',
        ),
        ("sed -n '35,45p' lib/app.py", "    def go(self):"),
        ("sed -i '40s/        //' lib/app.py", ""),
        ("python run.py", "fine"),
        sort=None,
    ),
    case(
        "a bracket that an edit left open",
        ("sed -i '40s/x/y(/' lib/app.py", ""),
        (
            "python run.py",
            "!  File \"/srv/lib/app.py\", line 41\nSyntaxError: '(' was never closed",
        ),
        ("sed -i '40s/y(/y()/' lib/app.py", ""),
        ("python run.py", "fine"),
        sort=None,
    ),
    case(
        "only the argument that the error names",
        (tool("book", room="R1"), "!Error: guest name is missing"),
        (tool("book", guest="x", note="y", room="R1"), "ok"),
        sort="argument",
        says=("`guest`",),
        never=("`note`",),
    ),
    case(
        "another object much later",
        (tool("cancel", order="O-11111", why="late"), "!Error: cannot be cancelled"),
        *((tool("get", order=f"O-2222{n}"), "{}") for n in range(4)),
        (tool("get", order="O-33333"), '{"id": "O-33333x"}'),
        (tool("cancel", order="O-33333", why="other"), "ok"),
        sort=None,
    ),
    case(
        "a value that the run made up twice",
        (tool("get_account", account="acme"), '{"cards": {"card_88213": {"brand": "visa"}}}'),
        (tool("charge", amount=5, card="card_1"), "!Error: card not found"),
        (tool("charge", amount=5, card="card_77777"), "ok"),
        sort=None,
    ),
    case(
        "a value that was used up",
        (tool("get_account", account="acme"), '{"cards": {"card_11111": {}, "card_22222": {}}}'),
        (tool("charge", amount=5, card="card_11111"), "!Error: balance is not enough"),
        (tool("charge", amount=5, card="card_22222"), "ok"),
        sort=None,
    ),
    case(
        "a folder of a person",
        ("make", "!fatal error: foo.h: No such file or directory"),
        ("CPATH=/home/kim/include make", "built"),
        sort=None,
    ),
    case(
        "a message of several lines",
        ('git commit -m "a\nb"', "!fatal: unable to auto-detect email address"),
        ('git -c user.name=ci commit -m "a\nb"', "[main 1] a"),
        sort="call",
        says=("-c user.name=ci",),
        never=("For example",),
    ),
    case(
        "tests that did not run",
        ("pytest lib/test_a.py", "!bash: line 1: pytest: command not found"),
        ("python lib/test_a.py", ""),
        sort=None,
    ),
    case(
        "a hidden exit status with trouble in the output",
        ("pip install x", "!error: externally-managed-environment"),
        ("pip install --user x | tail -1", "error: externally-managed"),
        sort=None,
    ),
    case(
        "output that goes to a file",
        ("make docs", "!docs: unknown builder"),
        ("make -B docs > log.txt 2>&1 || true", ""),
        sort=None,
    ),
    case(
        "a name of the run's own script",
        ("python repro.py", "!python: can't open file 'repro.py': No such file or directory"),
        ("ls", "repro2.py"),
        ("cat <<'EOF' > repro2.py\nprint(1)\nEOF\npython repro2.py", "1"),
        sort=None,
    ),
    case(
        "a preparation among many",
        ("make", "!ld: cannot find -lfoo"),
        ("npm ci", "added"),
        ("pip install flask", "ok"),
        ("cargo build", "ok"),
        ("make", "linked"),
        sort=None,
    ),
    case(
        "an installation before red tests",
        ("pytest tests/test_a.py", "!" + RED),
        ("pip install flask", "ok"),
        ("pytest tests/test_a.py", "9 passed"),
        sort=None,
    ),
    case(
        "files taken back before the same call",
        ("python run.py", "!ImportError: cannot import name 'go' from 'app'"),
        ("git checkout app.py", "Updated 1 path"),
        ("python run.py", "fine"),
        sort=None,
    ),
    case(
        "an edit before the same call",
        ("make", "!app.c:3: error: 'x' undeclared"),
        ("sed -i 's/x/y/' app.c", ""),
        ("make clean", ""),
        ("make", "linked"),
        sort=None,
    ),
    case(
        "another tool much later",
        (tool("find_user_by_phone", phone="555"), "!Error: no such user"),
        *((tool("think", thought=f"t{n}"), "") for n in range(5)),
        (tool("find_user_by_mail", mail="x"), "{}"),
        sort=None,
    ),
    case(
        "a look after a refused change",
        (tool("cancel_order", order="O-10001", reason="late"), "!Error: order is closed"),
        (tool("get_order", order="O-10001", reason="late"), "{}"),
        sort=None,
    ),
    case(
        "a change of something else",
        (tool("set_ship_address", order="O-10001", zip="1", street="x"), "!Error: order is closed"),
        (tool("set_home_address", user="U-20002", zip="1", street="x"), "ok"),
        sort=None,
    ),
    case(
        "a second tool before the same call that has nothing to do with it",
        (tool("send_mail", to="x"), "!503 try again"),
        (tool("list_mails", folder="in"), "[]"),
        (tool("send_mail", to="x"), "sent"),
        sort=None,
    ),
    case(
        "a class of the script itself",
        (
            "cat <<'EOF' > t.py\nclass Fake:\n    pass\n\nFake().go()\nEOF\npython t.py",
            '!  File "t.py", line 4, in <module>\n    Fake().go()\n'
            "AttributeError: 'Fake' object has no attribute 'go'",
        ),
        (
            "cat <<'EOF' > t.py\nclass Fake:\n    go = make_go(1)\n\nFake().go()\nEOF\npython t.py",
            "ok",
        ),
        sort=None,
    ),
    case(
        "a message of the script itself",
        (
            "cat <<'EOF' > t.py\nimport a\nraise SystemExit('total is wrong')\nEOF\npython t.py",
            "!total is wrong",
        ),
        ("cat <<'EOF' > t.py\nimport a\na.fix_total(1)\nEOF\npython t.py", "ok"),
        sort=None,
    ),
    case(
        "a fix with an address of a person",
        (BAD, CLOSED),
        (GOOD.replace("size=1", "'kim@example.org'"), "3"),
        sort=None,
    ),
    case(
        "another file that is missing too",
        ("rm a.txt b.txt", "!rm: cannot remove 'b.txt': No such file or directory"),
        ("rm c.txt", "!rm: cannot remove 'c.txt': No such file or directory"),
        sort=None,
    ),
    case(
        "many new lines that do not name the error",
        (BAD, CLOSED),
        (
            "cat <<'EOF' > t.py\nimport db\n\none(1)\ntwo(2)\nthree(3)\nfour(4)\nfive(5)\n"
            "db.rows()\nEOF\npython t.py",
            "3",
        ),
        sort=None,
    ),
    case(
        "a package from the folder of a person",
        ("python app.py", "!ModuleNotFoundError: No module named 'wheelhouse'"),
        ("pip install /home/kim/wheelhouse.whl", "ok"),
        ("python app.py", "fine"),
        sort=None,
    ),
    case(
        "a test run that reports nothing",
        ("go test ./x", "!build constraints exclude all Go files"),
        ("go test -tags=y ./x", ""),
        sort=None,
    ),
    case(
        "a search that is no look",
        ("sed -i '40i\\        check()' lib/app.py", ""),
        (
            "python run.py",
            '!  File "/srv/lib/app.py", line 41\nIndentationError: unexpected indent',
        ),
        ("grep -n check lib/app.py", "40: check()"),
        ("sed -i '40d' lib/app.py", ""),
        ("python run.py", "fine"),
        sort=None,
    ),
    case(
        "too many arguments that changed",
        (tool("make", a="1", b="2", c="3", d="4"), "!Error: invalid"),
        (tool("make", a=[1], b=[2], c=[3], d="4"), "ok"),
        sort=None,
    ),
    case(
        "another program after the revert",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!1 failed, 40 passed in 2s"),
        ("git stash && make lint", "!1 failed, 2 passed"),
        sort=None,
    ),
    case(
        "other code for the same interpreter",
        ('python -c "import db; db.rows()"', "!RuntimeError: db pool is not open"),
        ('python -c "import app; app.open_pool(1)"', "ok"),
        sort=None,
    ),
    case(
        "a script that ran well in between",
        (BAD, CLOSED),
        ("cat <<'EOF' > t.py\nprint('nothing')\nEOF\npython t.py", "nothing"),
        (GOOD, "3"),
        sort=None,
    ),
    case(
        "the same error in an output that is called fine",
        ("make app", "!app.c:3: error: libfoo is missing"),
        ("make -B app", "app.c:3: error: libfoo is missing"),
        sort=None,
    ),
)
