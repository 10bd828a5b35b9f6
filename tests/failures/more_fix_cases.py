"""More short runs, written after the rules and run once before any was mended."""

from __future__ import annotations

from tests.failures.fix_cases import RED, FixCase, case, tool

WRAPPED = '[{"type": "text", "text": "{\\"projects\\": [{\\"key\\": \\"PRJ-1042\\"}]}"}]'

MORE = (
    case(
        "gradle with another jdk",
        ("./gradlew test", "!error: invalid source release: 21"),
        ("JAVA_HOME=/usr/lib/jvm/java-21 ./gradlew test", "BUILD SUCCESSFUL\n12 passed"),
        sort="call",
        says=("JAVA_HOME",),
    ),
    case(
        "a module of maven",
        (
            "mvn test -pl api",
            "!Could not resolve dependencies for project api: core:jar:1.0 not found",
        ),
        ("mvn install -pl core", "BUILD SUCCESS"),
        ("mvn test -pl api", "Tests run: 12, Failures: 0\nBUILD SUCCESS"),
        sort="preparation",
        says=("mvn install -pl core",),
    ),
    case(
        "a bundle of ruby",
        ("rspec spec/user_spec.rb", "!bundler: failed to load command: rspec\nGem::LoadError"),
        ("bundle exec rspec spec/user_spec.rb", "4 examples, 0 failures"),
        sort="call",
        says=("bundle exec rspec",),
    ),
    case(
        "helm needs its repository",
        (
            "helm install db bitnami/postgresql",
            "!Error: INSTALLATION FAILED: repo bitnami not found",
        ),
        ("helm repo add bitnami https://charts.example.org", '"bitnami" has been added'),
        ("helm install db bitnami/postgresql", "STATUS: deployed"),
        sort="preparation",
        says=("helm repo add bitnami",),
    ),
    case(
        "a workspace of cargo",
        ("cargo run", "!error: `cargo run` could not determine which binary to run. Use --bin"),
        ("cargo run --bin server", "listening on 8080"),
        sort="call",
        says=("--bin server",),
    ),
    case(
        "a region of a cloud",
        ("aws s3 mb s3://logs", "!An error occurred (IllegalLocationConstraintException)"),
        ("aws s3 mb s3://logs --region eu-west-1", "make_bucket: logs"),
        sort="call",
        says=("--region eu-west-1",),
    ),
    case(
        "a daemon that is not running",
        ("docker ps", "!Cannot connect to the Docker daemon at unix:///var/run/docker.sock"),
        ("sudo systemctl start docker", ""),
        ("docker ps", "CONTAINER ID"),
        sort="preparation",
        says=("sudo systemctl start docker",),
    ),
    case(
        "a daemon that a build needs",
        ("docker build .", "!Cannot connect to the Docker daemon at unix:///var/run/docker.sock"),
        ("sudo systemctl start docker", ""),
        ("docker build .", "Successfully built"),
        sort="preparation",
        says=("sudo systemctl start docker",),
    ),
    case(
        "an old lock",
        ("apt-get install -y jq", "!E: Unable to locate package jq"),
        ("apt-get update", "Reading package lists... Done"),
        ("apt-get install -y jq", "Setting up jq"),
        sort="preparation",
        says=("apt-get update",),
    ),
    case(
        "the branch's name",
        ("git checkout master", "!error: pathspec 'master' did not match any file(s) known to git"),
        ("git branch -a", "* topic\n  main"),
        ("git checkout main", "Switched to branch 'main'"),
        sort=None,
    ),
    case(
        "dirty files",
        ("git rebase main", "!error: cannot rebase: You have unstaged changes."),
        ("git stash", "Saved working directory"),
        ("git rebase main", "Successfully rebased"),
        sort="preparation",
        says=("git stash",),
    ),
    case(
        "powershell's policy",
        (
            "powershell ./setup.ps1",
            "!setup.ps1 cannot be loaded because running scripts is disabled",
        ),
        ("powershell -ExecutionPolicy Bypass ./setup.ps1", "done"),
        sort="call",
        says=("-ExecutionPolicy",),
    ),
    case(
        "a test of swift",
        ("swift test", "!error: no such module 'XCTest'"),
        ("swift test --enable-test-discovery", "Executed 4 tests, with 0 failures"),
        sort="call",
        says=("--enable-test-discovery",),
    ),
    case(
        "a port that is taken",
        ("npm run dev", "!Error: listen EADDRINUSE: address already in use :::3000"),
        ("PORT=3001 npm run dev", "ready on 3001"),
        sort="call",
        says=("PORT=3001",),
    ),
    case(
        "memory of node",
        (
            "npm run build",
            "!FATAL ERROR: Reached heap limit Allocation failed - heap out of memory",
        ),
        ("NODE_OPTIONS=--max-old-space-size=8192 npm run build", "built"),
        sort="call",
        says=("NODE_OPTIONS=--max-old-space-size=8192",),
    ),
    case(
        "ssl of a proxy",
        ("pip install flask", "!SSLError: certificate verify failed: self-signed certificate"),
        ("pip install --cert /etc/ssl/corp.pem flask", "Successfully installed flask"),
        sort="call",
        says=("--cert",),
    ),
    case(
        "an externally managed python",
        ("pip install flask", "!error: externally-managed-environment"),
        ("python3 -m venv .venv && .venv/bin/pip install flask", "Successfully installed flask"),
        sort="call",
        says=(".venv/bin/pip",),
    ),
    case(
        "a result that is wrapped as text",
        (tool("jira_list", query="x"), WRAPPED),
        (tool("jira_create", project="Shop", title="t"), "!Error: project is not valid"),
        (tool("jira_create", project="PRJ-1042", title="t"), '{"id": 1}'),
        sort="argument",
        says=("`project`", "`projects.key`", "`jira_list`"),
        never=("PRJ-1042",),
    ),
    case(
        "a word that the error offers",
        (tool("export", format="excel", id="R-1"), "!format must be one of: csv, xlsx, json"),
        (tool("export", format="xlsx", id="R-1"), "ok"),
        sort="argument",
        says=("`format`", "`xlsx`"),
    ),
    case(
        "another route",
        (tool("http", method="GET", url="https://api.example.com/orders/88123"), "!404 not found"),
        (tool("http", method="GET", url="https://api.example.com/v2/orders/88123"), "{}"),
        sort="argument",
        says=("`/v2/orders/<id>`",),
        never=("88123", "example.com"),
    ),
    case(
        "an argument within an object",
        (tool("get_team", team="core"), '{"members": [{"uid": "usr-77120"}]}'),
        (tool("assign", body={"assignee": "kim", "task": "T-9001"}), "!Error: unknown assignee"),
        (tool("assign", body={"assignee": "usr-77120", "task": "T-9001"}), "ok"),
        sort="argument",
        says=("`assignee`", "`members.uid`"),
        never=("usr-77120",),
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
        says=("First call `app.configure(…)`, then `app.start()`",),
    ),
    case(
        "an edit by line number that broke the indentation",
        ("sed -i '40i\\        check()' lib/app.py", ""),
        (
            "python run.py",
            '!  File "/srv/lib/app.py", line 41\nIndentationError: unexpected indent',
        ),
        ("sed -n '35,45p' lib/app.py", "    def go(self):"),
        ("sed -i '40s/        //' lib/app.py", ""),
        ("python run.py", "fine"),
        sort="lines",
        says=("Print the lines", "match the indentation"),
        never=("app.py",),
    ),
    case(
        "the same quotes twice",
        ('sed -i \'9a\\    print(f"{a["b"]}")\' lib/app.py', ""),
        (
            "python run.py",
            '!  File "/srv/lib/app.py", line 10\n    print(f"{a["b"]}")\n            ^\n'
            "SyntaxError: invalid syntax",
        ),
        ("sed -i '10d' lib/app.py", ""),
        ("python run.py", "fine"),
        sort="lines",
        says=("quotes inside its braces",),
    ),
    case(
        "a script that does not come as far as before",
        ("cat <<'EOF' > go.py\nimport db\n\ndb.query('rows')\nEOF\n", ""),
        (
            "python go.py",
            '!  File "go.py", line 3, in <module>\n    db.query()\nRuntimeError: rows need a pool',
        ),
        ("cat <<'EOF' > go.py\nimport db\ndb.connect()\ndb.pool()\ndb.query('rows')\nEOF\n", ""),
        (
            "python go.py",
            '!  File "go.py", line 2, in <module>\n    db.connect()\nOSError: connection refused',
        ),
        sort=None,
    ),
    case(
        "a script that imports itself",
        (
            "cat <<'EOF' > go.py\nimport kit\n\nkit.load(['go'])\n\nclass Book(kit.Model):\n"
            "    pass\nEOF\n",
            "",
        ),
        (
            "python go.py",
            '!  File "go.py", line 3, in <module>\n    kit.load()\n  File "/srv/go.py", line 3, in '
            "<module>\n    kit.load()\nRuntimeError: already loading",
        ),
        (
            "mkdir shop && touch shop/__init__.py && cat <<'EOF' > shop/models.py\nimport kit\n\n"
            "class Book(kit.Model):\n    pass\nEOF\n"
            "cat <<'EOF' > go.py\nimport kit\n\nkit.load(['shop'])\nEOF\n",
            "",
        ),
        ("python go.py", "fine"),
        sort="lines",
        says=("imported a second time", "package of their own"),
        never=("shop", "Book"),
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
    case(
        "text that is not unique",
        (
            tool("edit", file_path="a.py", old_string="x", new_string="y"),
            "!old_string is not unique",
        ),
        (tool("edit", file_path="a.py", new_string="z\ny", old_string="z\nx"), "ok"),
        sort="argument",
        says=("Make `old_string` unique",),
    ),
    case(
        "a file that has to be read first",
        (
            tool("Edit", file_path="/a/b.py", new_string="y", old_string="x"),
            "!File has not been read yet",
        ),
        (tool("Read", file_path="/a/b.py"), "x"),
        (tool("Edit", file_path="/a/b.py", new_string="y", old_string="x"), "ok"),
        sort="preparation",
        says=("`Read`", "first"),
        never=("b.py",),
    ),
    case(
        "a table that has to be described first",
        (tool("run_query", sql="select naem from t"), '!column "naem" does not exist'),
        (tool("describe_table", table="t"), '{"columns": ["name"]}'),
        (tool("run_query", sql="select name from t"), "1"),
        sort=None,
    ),
    case(
        "log in before the call",
        (tool("send_mail", to="x", body="y"), "!401 not authenticated, call login first"),
        (tool("login", user="me"), "ok"),
        (tool("send_mail", to="x", body="y"), "sent"),
        sort="preparation",
        says=("`login`",),
    ),
    case(
        "pages",
        (tool("list_items", limit=500), "!limit must be at most 100"),
        (tool("list_items", limit=100), "[]"),
        sort="argument",
        says=("`limit`",),
    ),
    case(
        "a flaky network",
        ("curl -fsS https://example.com/x", "!curl: (28) Connection timed out"),
        ("curl -fsS --retry 3 https://example.com/x", "ok"),
        sort="call",
        says=("--retry 3",),
    ),
    case(
        "files that the failing call removed",
        ("rm a.txt b.txt", "!rm: cannot remove 'b.txt': No such file or directory"),
        ("rm a.txt", "!rm: cannot remove 'a.txt': No such file or directory"),
        sort="call",
        says=("removed all the same", "`-f`"),
    ),
    case(
        "a change that a script makes anew after the revert",
        ("cat <<'EOF' > patch.py\nopen('src/io.py', 'w').write('x')\nEOF\npython patch.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        ("git checkout src/io.py", "Updated 1 path"),
        ("python patch.py", ""),
        ("pytest tests/test_io.py", "!" + RED),
        sort=None,
    ),
    case(
        "another file in the same folder",
        ("python tools/gen.py", "!KeyError: 'name'"),
        ("python tools/check.py", "fine"),
        sort=None,
    ),
    case(
        "a test that was weakened",
        (
            "cat <<'EOF' > t.py\nimport app\nassert app.total() == 4\nEOF\npython t.py",
            "!AssertionError",
        ),
        ("cat <<'EOF' > t.py\nimport app\nprint(app.total())\nEOF\npython t.py", "5"),
        sort=None,
    ),
    case(
        "output thrown away",
        ("make lint", "!lint: 3 problems"),
        ("make lint > /dev/null 2>&1; echo done", "done"),
        sort=None,
    ),
    case(
        "the version of node",
        ("npm ci", "!npm error engine Unsupported engine: wanted node >=20"),
        ("nvm use 20 && npm ci", "Now using node v20.11.0\nadded 300 packages"),
        sort="preparation",
        says=("nvm use 20",),
    ),
    case(
        "generated code",
        ("go build ./...", "!api/server.go:9:2: undefined: pb.NewClient"),
        ("make generate", "protoc ok"),
        ("go build ./...", ""),
        sort="preparation",
        says=("make generate",),
    ),
    case(
        "an environment file",
        ("docker compose up -d", "!error: env file /srv/app/.env not found"),
        ("cp .env.example .env", ""),
        ("docker compose up -d", "Started"),
        sort="preparation",
        says=("cp .env.example .env",),
    ),
)


def named(name: str) -> FixCase:
    """The case of this name."""
    return next(each for each in MORE if each.name == name)
