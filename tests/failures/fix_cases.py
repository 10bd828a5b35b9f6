"""Short runs in many ecosystems, each with the fix it shows or None. Written by hand."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class FixCase(NamedTuple):
    """A run as (call, output) pairs, `!` before the output of a failing call."""

    name: str
    steps: tuple[tuple[Any, str], ...]
    sort: str | None  # of the fix that the last step shows; None for no fix
    says: tuple[str, ...] = ()  # what its text holds
    never: tuple[str, ...] = ()  # what its text must not hold


def case(
    name: str,
    *steps: tuple[Any, str],
    sort: str | None = None,
    says: tuple[str, ...] = (),
    never: tuple[str, ...] = (),
) -> FixCase:
    return FixCase(name, steps, sort, says, never)


def tool(called: str, /, **args: Any) -> tuple[str, str]:
    """A call with named arguments."""
    return called, json.dumps(args, sort_keys=True)


CALLS = (
    case(
        "another package manager",
        ("npm test", '!npm error Unsupported URL Type "workspace:": workspace:*'),
        ("pnpm test", "Tests: 12 passed, 12 total"),
        sort="tool",
        says=("`pnpm test`", "instead of `npm test`"),
    ),
    case(
        "a runner of the project",
        ("jest src/app.test.js", "!bash: line 1: jest: command not found"),
        ("npx jest src/app.test.js", "Tests: 4 passed, 4 total"),
        sort="call",
        says=("`npx jest`",),
    ),
    case(
        "poetry's environment",
        ("pytest tests/test_api.py", "!E   ModuleNotFoundError: No module named 'fastapi'"),
        ("poetry run pytest tests/test_api.py", "5 passed in 0.2s"),
        sort="call",
        says=("`poetry run pytest`",),
    ),
    case(
        "a feature flag of cargo",
        ("cargo test", "!error[E0432]: unresolved import `crate::tls`"),
        ("cargo test --features tls", "test result: ok. 31 passed; 0 failed"),
        sort="call",
        says=("--features",),
    ),
    case(
        "a build tag of go",
        ("go test ./store/...", "!build constraints exclude all Go files in /src/store"),
        ("go test -tags=sqlite ./store/...", "ok  \texample.com/app/store\t0.4s"),
        sort="call",
        says=("-tags=sqlite",),
    ),
    case(
        "the namespace",
        ("kubectl get configmap app", '!Error from server (NotFound): configmaps "app" not found'),
        ("kubectl get configmap app -n prod", "NAME   DATA   AGE\napp    3      9d"),
        sort="call",
        says=("`-n prod`",),
    ),
    case(
        "the namespace of a deployment",
        (
            "kubectl rollout restart deployment/api",
            '!Error from server (NotFound): deployments.apps "api" not found',
        ),
        ("kubectl rollout restart deployment/api -n prod", "deployment.apps/api restarted"),
        sort="call",
        says=("-n",),
    ),
    case(
        "the project name of compose",
        (
            "docker compose up -d",
            "!Error response from daemon: Conflict. The container name is in use",
        ),
        ("docker compose -p shop up -d", "Container shop-web-1  Started"),
        sort="call",
        says=("-p shop",),
    ),
    case(
        "the old name of compose",
        ("docker-compose up -d", "!bash: docker-compose: command not found"),
        ("docker compose up -d", "Container web-1  Started"),
        sort="tool",
        says=("`docker compose up`",),
    ),
    case(
        "the directory of a package",
        (
            "npm run build",
            "!npm error enoent Could not read package.json: Error: ENOENT: no such file",
        ),
        ("cd web && npm run build", "built in 3.1s"),
        sort="call",
        says=("`web`",),
    ),
    case(
        "the directory by an option",
        ("pnpm test", "!ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND  No package.json was found"),
        ("pnpm --dir web test", "Tests  9 passed (9)"),
        sort="call",
        says=("--dir web",),
    ),
    case(
        "a variable before the call",
        ("make build", "!cc1plus: error: unrecognized command line option '-std=c++23'"),
        ("CXX=g++-13 make build", "linked app"),
        sort="call",
        says=("`CXX=g++-13`",),
    ),
    case(
        "exports on lines of their own",
        ("make build", "!fatal error: Python.h: No such file or directory"),
        ("export CC=gcc-12\nexport CFLAGS=-I/usr/include/python3.11\nmake build", "built"),
        sort="call",
        says=("CC=gcc-12", "CFLAGS="),
        never=("export CC=gcc-12 export",),
    ),
    case(
        "the host of a database",
        (
            "psql -d shop -f schema.sql",
            '!psql: error: connection to server on socket "/run/x" failed',
        ),
        ("psql -h localhost -d shop -f schema.sql", "CREATE TABLE"),
        sort=None,
    ),
    case(
        "a password by the environment",
        ("psql -U app -f schema.sql", "!psql: error: fe_sendauth: no password supplied"),
        ("PGPASSFILE=.pgpass psql -U app -f schema.sql", "CREATE TABLE"),
        sort="call",
        says=("`PGPASSFILE=.pgpass`",),
    ),
    case(
        "sudo",
        ("systemctl restart nginx", "!Failed to restart nginx.service: Access denied"),
        ("sudo systemctl restart nginx", ""),
        sort="call",
        says=("`sudo systemctl restart`",),
    ),
    case(
        "parents of a folder",
        (
            "mkdir build/out",
            "!mkdir: cannot create directory ‘build/out’: No such file or directory",
        ),
        ("mkdir -p build/out", ""),
        sort="call",
        says=("`-p`",),
    ),
    case(
        "an interpreter that is called python3",
        ("python manage.py check", "!bash: python: command not found"),
        ("python3 manage.py check", "System check identified no issues"),
        sort="call",
        says=("`python3`", "instead of `python`"),
    ),
    case(
        "the upstream of a branch",
        ("git push", "!fatal: The current branch topic has no upstream branch."),
        ("git push -u origin HEAD", "branch 'topic' set up to track 'origin/topic'."),
        sort="call",
        says=("`git push`", "-u"),
    ),
    case(
        "an option that the error rejects",
        ("grep-ast --foo src", "!error: unrecognized arguments: --foo"),
        ("grep-ast src", "3 files"),
        sort="call",
        says=("without `--foo`",),
    ),
    case(
        "a label looked up first",
        ("./runtests contenttypes", "!ModuleNotFoundError: No module named 'contenttypes'"),
        ("ls tests", "admin_tests\ncontenttypes_tests\n"),
        ("./runtests contenttypes_tests", "Ran 83 tests in 1.0s\n\nOK"),
        sort="call",
        says=("`ls tests`", "contenttypes_tests"),
    ),
    case(
        "a test file looked up first",
        ("go test ./pkg/stores", "!stat /src/pkg/stores: directory not found"),
        ("ls pkg", "api\nstore\n"),
        ("go test ./pkg/store", "ok  \texample.com/app/pkg/store\t0.2s"),
        sort="call",
        says=("`ls pkg`",),
    ),
    case(
        "the image by its whole name",
        (
            "docker pull app:latest",
            "!Error response from daemon: pull access denied for app, repository does not exist",
        ),
        ("docker pull registry.local/app:latest", "Status: Downloaded newer image"),
        sort="call",
        says=("registry.local/app:latest",),
    ),
    case(
        "code on one line",
        (
            'python3 -c "import sys; for a in sys.argv: print(a)"',
            '!  File "<string>", line 1\nSyntaxError: invalid syntax',
        ),
        ("python3 - <<'EOF'\nimport sys\nfor a in sys.argv:\n    print(a)\nEOF", "-"),
        sort="call",
        says=("one-liner (`python3 -c`)", "several lines", "<<'EOF'"),
    ),
    case(
        "files that are gone already",
        ("rm out.log cache.db", "!rm: cannot remove 'cache.db': No such file or directory"),
        ("rm -f out.log cache.db", ""),
        sort="call",
        says=("`rm` with `-f`",),
    ),
)

PREPARATIONS = (
    case(
        "dependencies of node",
        ("npm test", "!Error: Cannot find module 'express'"),
        ("npm ci", "added 211 packages in 4s"),
        ("npm test", "Tests: 8 passed, 8 total"),
        sort="preparation",
        says=("`npm ci`",),
    ),
    case(
        "dependencies in the same command",
        ("npm run lint", "!sh: 1: eslint: not found"),
        ("npm ci && npm run lint", "no problems"),
        sort="preparation",
        says=("`npm ci`",),
    ),
    case(
        "a package of python",
        ("python app.py", "!ModuleNotFoundError: No module named 'yaml'"),
        ("pip install pyyaml", "Successfully installed pyyaml-6.0"),
        ("python app.py", "listening"),
        sort="preparation",
        says=("`pip install pyyaml`",),
    ),
    case(
        "a rejected push",
        ("git push origin main", "!error: failed to push some refs to 'origin'\nhint: fetch first"),
        ("git pull --rebase origin main", "Successfully rebased"),
        ("git push origin main", "main -> main"),
        sort="preparation",
        says=("`git pull --rebase origin main`",),
    ),
    case(
        "terraform init",
        (
            "terraform plan",
            '!Error: Inconsistent dependency lock file, please run "terraform init"',
        ),
        ("terraform init", "Terraform has been successfully initialized!"),
        ("terraform plan", "No changes."),
        sort="preparation",
        says=("`terraform init`",),
    ),
    case(
        "go mod tidy",
        ("go build ./...", "!main.go:4:2: no required module provides package golang.org/x/sync"),
        ("go mod tidy", "go: added golang.org/x/sync v0.7.0"),
        ("go build ./...", ""),
        sort="preparation",
        says=("`go mod tidy`",),
    ),
    case(
        "another context",
        ("kubectl apply -f app.yaml", "!error: context was not found for specified context: dev"),
        ("kubectl config use-context kind-dev", 'Switched to context "kind-dev".'),
        ("kubectl apply -f app.yaml", "deployment.apps/app configured"),
        sort="preparation",
        says=("`kubectl config use-context kind-dev`",),
    ),
    case(
        "a folder that is missing",
        ("cp app.bin dist/app.bin", "!cp: cannot create regular file 'dist/app.bin': No such file"),
        ("mkdir -p dist", ""),
        ("cp app.bin dist/app.bin", ""),
        sort="preparation",
        says=("`mkdir -p dist`",),
    ),
    case(
        "a service that has to run",
        ("pytest tests/test_db.py", "!E   psycopg2.OperationalError: connection refused"),
        ("docker compose up -d db", "Container app-db-1  Started"),
        ("pytest tests/test_db.py", "14 passed in 2.2s"),
        sort="preparation",
        says=("`docker compose up -d db`",),
    ),
    case(
        "rights of a script",
        ("./deploy.sh", "!bash: ./deploy.sh: Permission denied"),
        ("chmod +x deploy.sh", ""),
        ("./deploy.sh", "deployed"),
        sort="preparation",
        says=("`chmod +x deploy.sh`",),
    ),
    case(
        "a target of rust",
        (
            "cargo build --target wasm32-unknown-unknown",
            "!error[E0463]: can't find crate for `core`: the `wasm32-unknown-unknown` "
            "target may not be",
        ),
        ("rustup target add wasm32-unknown-unknown", "info: installing component 'rust-std'"),
        ("cargo build --target wasm32-unknown-unknown", "Finished dev"),
        sort="preparation",
        says=("`rustup target add wasm32-unknown-unknown`",),
    ),
    case(
        "a migration",
        (
            "python manage.py runserver",
            '!django.db.utils.ProgrammingError: relation "x" does not exist',
        ),
        ("python manage.py migrate", "Applying shop.0001_initial... OK"),
        ("python manage.py runserver", "Starting development server"),
        sort="preparation",
        says=("`python manage.py migrate`",),
    ),
    case(
        "submodules",
        ("make", "!vendor/lib/lib.h: No such file or directory"),
        ("git submodule update --init --recursive", "Submodule path 'vendor/lib': checked out"),
        ("make", "linked"),
        sort="preparation",
        says=("`git submodule update --init --recursive`",),
    ),
    case(
        "log in to a registry",
        ("docker push registry.local/app", "!denied: access forbidden"),
        ("docker login registry.local", "Login Succeeded"),
        ("docker push registry.local/app", "latest: digest: sha256"),
        sort="preparation",
        says=("`docker login registry.local`",),
    ),
    case(
        "an environment that is sourced",
        ("ansible-playbook site.yml", "!bash: ansible-playbook: command not found"),
        ("source .venv/bin/activate && ansible-playbook site.yml", "ok=12 changed=3"),
        sort="preparation",
        says=("`source .venv/bin/activate`",),
    ),
    case(
        "a script that nobody had written",
        ("node seed.js", "!Error: Cannot find module '/srv/app/seed.js'\nseed.js: No such file"),
        ("cat <<'EOF' > seed.js\nconsole.log('seeded')\nEOF\nnode seed.js", "seeded"),
        sort="preparation",
        says=("Write the file", "before you run it"),
        never=("seed.js",),
    ),
    case(
        "a package that was only named",
        ("python check.py", "!ModuleNotFoundError: No module named 'demo_app'"),
        ("mkdir demo_app && touch demo_app/__init__.py", ""),
        ("python check.py", "fine"),
        sort="preparation",
        says=("__init__.py",),
        never=("demo_app",),
    ),
    case(
        "a tool of the project",
        ("dotnet ef database update", "!Could not execute because dotnet-ef does not exist."),
        ("dotnet tool install --global dotnet-ef", "Tool 'dotnet-ef' was successfully installed."),
        ("dotnet ef database update", "Done."),
        sort="preparation",
        says=("dotnet tool install",),
    ),
)

SCRIPT = "cat <<'EOF' > load.py\nimport csv\n{}\nrows = list(csv.reader(f))\nprint(rows)\nEOF"
LINES = (
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
)

ARGUMENTS = (
    case(
        "an id from an earlier result",
        (tool("get_account", account="acme"), '{"cards": {"card_88213": {"brand": "visa"}}}'),
        (tool("charge", amount=5, card="visa-8821"), "!Error: card not found"),
        (tool("charge", amount=5, card="card_88213"), '{"status": "charged"}'),
        sort="argument",
        says=("`card`", "`cards`", "`get_account`"),
        never=("88213", "8821"),
    ),
    case(
        "one that is in stock",
        (
            tool("list_rooms", hotel="H1"),
            '{"rooms": [{"room_id": "R-1001", "free": false}, {"room_id": "R-1002", '
            '"free": true}]}',
        ),
        (tool("book_room", guest="G-77123", room_id="R-1001"), "!Error: room is not free"),
        (tool("book_room", guest="G-77123", room_id="R-1002"), '{"booked": true}'),
        sort="argument",
        says=("`room_id`", "`free`", "true", "`list_rooms`"),
        never=("R-1002", "G-77123"),
    ),
    case(
        "a kind that is refused",
        (
            tool("get_profile", user="u_5001"),
            '{"methods": {"voucher_100234": {"source": "voucher"}, "card_200345": '
            '{"source": "card"}}}',
        ),
        (
            tool("pay", invoice="I-90001", method="voucher_100234"),
            "!Error: voucher cannot be used here",
        ),
        (tool("pay", invoice="I-90001", method="card_200345"), '{"ok": true}'),
        sort="argument",
        says=("`source`", "not voucher"),
        never=("200345", "100234"),
    ),
    case(
        "amounts that add up",
        (
            tool(
                "pay_split",
                order="O-51000",
                parts=[{"amount": 10, "by": "a"}, {"amount": 5, "by": "b"}],
            ),
            "!Error: the parts do not add up, the total is 25",
        ),
        (
            tool(
                "pay_split",
                order="O-51000",
                parts=[{"amount": 20, "by": "a"}, {"amount": 5, "by": "b"}],
            ),
            '{"ok": true}',
        ),
        sort="argument",
        says=("`amount`", "add up", "total"),
        never=("25", "O-51000"),
    ),
    case(
        "a date in another form",
        (tool("search_flights", date="May 20", origin="JFK"), "!Error: date must be ISO 8601"),
        (tool("search_flights", date="2024-05-20", origin="JFK"), '{"flights": []}'),
        sort="argument",
        says=("`date`", "YYYY-MM-DD"),
        never=("2024-05-20",),
    ),
    case(
        "a list instead of text",
        (tool("tag_issue", issue=7, labels="bug"), "!422 labels: expected an array"),
        (tool("tag_issue", issue=7, labels=["bug"]), '{"ok": true}'),
        sort="argument",
        says=("`labels`", "a list"),
    ),
    case(
        "an argument that was missing",
        (tool("create_pr", title="x"), "!400 Validation failed: base is required"),
        (tool("create_pr", base="main", title="x"), '{"number": 4}'),
        sort="argument",
        says=("Pass `base`",),
    ),
    case(
        "an argument that is not known",
        (tool("search", limit=5, q="x"), "!Error: unexpected argument 'limit'"),
        (tool("search", q="x"), "[]"),
        sort="argument",
        says=("Leave out `limit`",),
    ),
    case(
        "lists of the same length",
        (
            tool("swap", new=["41234"], old=["51234", "61234"], order="O-77771"),
            "!Error: the number of old and new items must match",
        ),
        (
            tool("swap", new=["41234", "41235"], old=["51234", "61234"], order="O-77771"),
            '{"ok": true}',
        ),
        sort="argument",
        says=("same number",),
        never=("41234",),
    ),
    case(
        "where the order was paid from",
        (
            tool("get_methods", user="U-12345"),
            '{"P-11111": {"kind": "a"}, "P-22222": {"kind": "b"}}',
        ),
        (tool("get_order", order="O-33333"), '{"history": [{"method": "P-22222"}]}'),
        (tool("refund", order="O-33333", to="P-11111"), "!Error: must be the original method"),
        (tool("refund", order="O-33333", to="P-22222"), '{"ok": true}'),
        sort="argument",
        says=("`history.method`", "`get_order`"),
        never=("P-22222",),
    ),
    case(
        "a number with its sign",
        (tool("get_ticket", ticket="48213"), "!Error: ticket not found"),
        (tool("get_ticket", ticket="#48213"), '{"title": "x"}'),
        sort="argument",
        says=("`ticket`", "`#`"),
        never=("48213",),
    ),
    case(
        "a whole path for a file server",
        (tool("read_file", path="src/a.ts"), "!Error: path must be absolute, access denied"),
        (tool("read_file", path="/srv/repo/src/a.ts"), "export {}"),
        sort="argument",
        says=("`path`", "from the root"),
        never=("/srv/repo",),
    ),
)

TOOLS = (
    case(
        "another way to look somebody up",
        (tool("find_user_by_phone", phone="555-0101"), "!Error: no such user"),
        (tool("find_user_by_name_city", city="Oslo", name="Kari"), '{"user": "u_1"}'),
        sort="tool",
        says=("`find_user_by_name_city`",),
        never=("Oslo", "Kari"),
    ),
    case(
        "another tool for the other state",
        (
            tool("cancel_shipped_order", order="O-10001", reason="late"),
            "!Error: order is not shipped",
        ),
        (tool("cancel_open_order", order="O-10001", reason="late"), '{"ok": true}'),
        sort="tool",
        says=("`cancel_open_order`", "same arguments"),
        never=("O-10001",),
    ),
    case(
        "a tool that is broken",
        (tool("get_best_price", item="A-1111"), "!Internal error"),
        (tool("get_best_price", item="A-2222"), "!Internal error"),
        (tool("get_best_price", item="A-3333"), "!Internal error"),
        (tool("get_price_list", item="A-3333"), "[1, 2]"),
        sort="tool",
        says=("`get_best_price` fails whatever", "`get_price_list`"),
        never=("A-3333",),
    ),
    case(
        "a program that is not there",
        ("rg -n TODO src/app.py", "!bash: rg: command not found"),
        ("grep -n TODO src/app.py", "3: # TODO"),
        sort=None,
    ),
    case(
        "the test runner of a checkout",
        ("pytest lib/tests/test_a.py", "!bash: line 1: pytest: command not found"),
        ("bin/test lib/tests/test_a.py", "lib/tests/test_a.py[3] ...\ntests finished: 3 passed"),
        sort="tool",
        says=("`bin/test`", "`bin/test lib/tests/test_a.py`"),
    ),
)

HINTS = (
    case(
        "an extension that the compiler proposes",
        (
            "npm run types",
            "!src/a.ts(1,24): error TS2835: Relative import paths need explicit file extensions."
            " Did you mean './parcel.js'?",
        ),
        ("sed -i \"s#'./parcel'#'./parcel.js'#\" src/a.ts && npm run types", "> tsc"),
        sort="lines",
        says=("Did you mean",),
    ),
    case(
        "a header that a note names",
        (
            "make check",
            "!src/a.c:3:5: error: implicit declaration of function ‘free’\n"
            "src/a.c:3:5: note: include ‘<stdlib.h>’ or provide a declaration of ‘free’",
        ),
        ("sed -i '1i #include <stdlib.h>' src/a.c", ""),
        ("make check", "3 passed"),
        sort="lines",
        says=("Include the header",),
    ),
    case(
        "spaces in a recipe",
        ("make avg", "!Makefile:20: *** missing separator.  Stop."),
        ("sed -i 's/^    $(CC)/\\t$(CC)/' Makefile && make avg", "cc -o avg avg.c"),
        sort="lines",
        says=("tab",),
    ),
    case(
        "a proposal that was not taken",
        (
            "make check",
            "!a.c:6:12: error: implicit declaration of function ‘median’; did you mean ‘mean’?",
        ),
        ("sed -i '2i double median(void);' include/a.h", ""),
        ("make check", "3 passed"),
        sort=None,
    ),
)

RED = "FAILED tests/test_io.py::test_pipe - OSError: x\n=== 1 failed, 40 passed in 2s ==="
UNCHANGED = (
    case(
        "stashed",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git stash && pytest tests/test_io.py", "!Saved working directory\n" + RED),
        sort="unchanged",
        says=("fails without your change too", "git stash", "test_pipe"),
    ),
    case(
        "stashed and taken back in one command",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git stash; pytest tests/test_io.py; git stash pop", "Saved\n" + RED + "\nDropped"),
        sort="unchanged",
        says=("fails without your change too",),
    ),
    case(
        "a checkout of one file",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("go test ./io", "!--- FAIL: TestPipe (0.00s)\nFAIL"),
        ("git checkout -- src/io.py", "Updated 1 path"),
        ("go test ./io", "!--- FAIL: TestPipe (0.00s)\nFAIL"),
        sort="unchanged",
        says=("TestPipe",),
    ),
    case(
        "before anything was touched",
        ("ls", "src tests"),
        ("pytest tests/test_io.py", "!" + RED),
        sort="unchanged",
        says=("fails without your change too",),
    ),
    case(
        "with the change",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("sed -i 's/b/c/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        sort=None,
    ),
    case(
        "after the change is back",
        ("pytest tests/test_io.py -k x", "2 passed"),
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git stash", "Saved"),
        ("git stash pop", "Dropped"),
        ("pytest tests/test_io.py", "!" + RED),
        sort=None,
    ),
    *(
        case(
            f"made anew before the tests: {again[:24]}",
            ("sed -i 's/a/b/' src/io.py", ""),
            ("pytest tests/test_io.py", "!" + RED),
            (f"git checkout -- src/io.py\n{again}", "Updated 1 path"),
            ("pytest tests/test_io.py", "!" + RED),
            sort=None,
        )
        for again in (
            "sed -i '/import io/a import os' src/io.py",
            "cat <<'E' > fix.py\ntext = open('src/io.py').read()\nopen('src/io.py', 'w')"
            ".write(text)\nE\npython fix.py",
            "python -c \"open('src/io.py', 'w').write('x')\"",
            "python - <<'E'\nfrom pathlib import Path\nPath('src/io.py').write_text('x')\nE",
            "patch -p1 < fix.diff",
            "git apply fix.diff",
            "git checkout stash@{0} -- src/io.py",
            "python fixed.py < src/io.py > src/io.tmp && mv src/io.tmp src/io.py",
        )
    ),
    case(
        "a look between the revert and the tests",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git checkout -- src/io.py && cat src/io.py | head -3", "import io"),
        ("cat <<'E' > look.py\nimport src.io\nprint(src.io)\nE\npython look.py", "<module>"),
        ("pytest tests/test_io.py", "!" + RED),
        sort="unchanged",
        says=("fails without your change too",),
    ),
    case(
        "another failure after the revert",
        ("sed -i 's/a/b/' src/io.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git checkout -- src/io.py", "Updated"),
        (
            "pytest tests/test_io.py",
            "!FAILED tests/test_io.py::test_other - x\n1 failed, 41 passed",
        ),
        sort=None,
    ),
)

NOTHING = (
    case(
        "a file of tests that was only loaded",
        (
            "python core/test_a.py",
            "!python: can't open file 'core/test_a.py': [Errno 2] No such file",
        ),
        ("find . -name test_a.py", "./core/tests/test_a.py"),
        ("python core/tests/test_a.py", ""),
        sort=None,
    ),
    case(
        "a pipe that hides the failure",
        ("make check", "!make: *** [check] Error 1"),
        ("make check | tail -3", "make: *** [check] Error 1"),
        sort=None,
    ),
    case(
        "a failure that is swallowed",
        ("make check", "!make: *** [check] Error 1"),
        ("make check || true", "error: still red"),
        sort=None,
    ),
    case(
        "fewer tests",
        ("pytest tests", "!FAILED tests/test_a.py::test_x - assert 1 == 2\n1 failed, 9 passed"),
        ("pytest tests -k other", "4 passed"),
        sort=None,
    ),
    case(
        "skipped tests",
        ("mvn package", "!There are test failures."),
        ("mvn package -DskipTests", "BUILD SUCCESS"),
        sort=None,
    ),
    case(
        "a hook that is skipped",
        ("git commit -m x", "!lint failed: 3 problems"),
        ("git commit --no-verify -m x", "[main 1] x"),
        sort=None,
    ),
    case(
        "a push by force",
        ("git push", "!! [rejected] main -> main (non-fast-forward)"),
        ("git push --force", "forced update"),
        sort=None,
    ),
    case(
        "dropping what failed",
        ("rm a.txt b.txt", "!rm: cannot remove 'b.txt': No such file or directory"),
        ("rm a.txt", ""),
        sort=None,
    ),
    case(
        "code mended meanwhile",
        ("pytest tests/test_a.py", "!FAILED tests/test_a.py::t - assert 1 == 2\n1 failed"),
        ("sed -i 's/1/2/' src/a.py", ""),
        ("pytest tests/test_a.py", "1 passed"),
        sort=None,
    ),
    case(
        "a weaker check",
        ("mypy --strict src", "!src/a.py:1: error: Missing type"),
        ("mypy src", "Success: no issues"),
        sort=None,
    ),
    case(
        "a search that finds nothing",
        ("grep -rn foo src", "!"),
        ("grep -rn bar src", "a.py:1: bar"),
        sort=None,
    ),
    case(
        "a look at something else",
        ("cat a.txt", "!cat: a.txt: No such file or directory"),
        ("cat b.txt", "b"),
        sort=None,
    ),
    case(
        "another experiment",
        ("cat <<'EOF' > t1.py\nimport a\nassert a.f(1) == 2\nEOF\npython t1.py", "!AssertionError"),
        ("cat <<'EOF' > t2.py\nimport a\nprint(a.g())\nEOF\npython t2.py", "3"),
        sort=None,
    ),
    case(
        "an own assertion that was mended",
        ("cat <<'EOF' > t.py\nassert 1 == 2\nEOF\npython t.py", "!AssertionError"),
        ("cat <<'EOF' > t.py\nassert 2 == 2\nEOF\npython t.py", ""),
        sort=None,
    ),
    case(
        "a typing mistake",
        (
            "cat <<'EOF' > t.py\nprint(conection)\nEOF\npython t.py",
            "!NameError: name 'conection' is not defined",
        ),
        ("cat <<'EOF' > t.py\nprint(connection)\nEOF\npython t.py", "x"),
        sort=None,
    ),
    case(
        "the same call again",
        ("curl -s localhost:8080/x", "!curl: (56) Recv failure"),
        ("curl -s localhost:8080/x", "ok"),
        sort=None,
    ),
    case(
        "more words about it",
        ("make", "!make: *** No rule to make target 'x'.  Stop."),
        ("make --help", "Usage: make [options]"),
        sort=None,
    ),
    case(
        "the next thing to do",
        (tool("modify_order", item="A-9999", order="O-44441"), "!Error: order is closed"),
        (tool("get_order", order="O-44441"), '{"status": "closed"}'),
        sort=None,
    ),
    case(
        "another object",
        (tool("cancel", order="O-44441"), "!Error: not open, cannot be cancelled"),
        (tool("get", order="O-55551"), '{"order": "O-55551"}'),
        (tool("cancel", order="O-55551"), "{}"),
        sort=None,
    ),
    case(
        "a moment later",
        (tool("get_order", order="O-44441"), "!Error: backend timeout"),
        (tool("get_order", order="O-44441"), "{}"),
        sort=None,
    ),
    case(
        "another person",
        (tool("greet", name="Kari"), "!Error: timeout"),
        (tool("greet", name="Ola"), "hi"),
        sort=None,
    ),
    case(
        "a listing of the folder",
        ("python tool.py", "!KeyError: 'HOME'"),
        ("ls", "tool.py"),
        sort=None,
    ),
    case(
        "verbosity",
        ("pytest tests/test_a.py", "!E   ModuleNotFoundError: No module named 'x'"),
        ("pytest -v tests/test_a.py", "3 passed"),
        sort=None,
    ),
)

CASES = (*CALLS, *PREPARATIONS, *LINES, *HINTS, *ARGUMENTS, *TOOLS, *UNCHANGED, *NOTHING)
