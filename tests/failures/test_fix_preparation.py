"""What has to be done before a call works."""

from __future__ import annotations

import pytest

from hardwon.failures.fix_case import case_of
from hardwon.failures.fix_preparation import applies_preparation, preparation_fix
from tests.failures.fix_cases import applied_in, case, shown_by, step_of, told_apart

REJECTED = "!To /x/a.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push"

CASES = (
    case(
        "dependencies of node",
        ("npm test", "!Error: Cannot find module 'express'"),
        ("npm ci", "added 211 packages in 4s"),
        ("npm test", "Tests: 8 passed, 8 total"),
        sort="preparation",
        says=("`npm ci`",),
    ),
    case(
        "a file that has to be made before the tests can run",
        ("npm run unit", "!Error: Cannot find module './a.gen.js'\nℹ pass 0\nℹ fail 1"),
        ("npm run codegen", "3 units written"),
        ("npm run unit", "!AssertionError: 3\nℹ pass 11\nℹ fail 1"),
        sort="preparation",
        says=("First run `npm run codegen`",),
    ),
    case(
        "a file that has to be copied, before the call fails otherwise",
        ("npm run smoke", "!ConfigError: profile 'local' is not configured"),
        ("cp config/example.json config/local.json", ""),
        ("npm run smoke", "!Error: listen EADDRINUSE: address already in use"),
        sort="preparation",
        says=("First run `cp config/example.json config/local.json`",),
    ),
    case(
        "a task of the same program",
        ("python -m kit.cli --tenant demo add 3", "!OperationalError: no such table: rows"),
        ("python -m kit.cli --tenant demo migrate", "3 migrations applied"),
        ("python -m kit.cli --tenant demo add 3", ""),
        sort="preparation",
        says=("First run `python -m kit.cli --tenant demo migrate`",),
    ),
    case(
        "another task of the same program",
        ("python -m kit.cli --tenant demo add 3", "!OperationalError: no such table: rows"),
        ("python -m kit.cli --tenant demo show 3", "nothing"),
        ("python -m kit.cli --tenant demo add 3", ""),
    ),
    case(
        "a task of the project's script that the error names",
        ("./do test", "!do: openapi.json does not match the routes"),
        ("git diff --stat; cat openapi.json", "lib/routes.py | 5 +++++"),
        ("./do openapi", "openapi.json written"),
        ("./do test", "Ran 4 tests\nOK"),
        sort="preparation",
        says=("First run `./do openapi`",),
    ),
    case(
        "a script of the project that is called like the missing file",
        ("bin/fleet render", "!fleet: secrets/dev.key is missing"),
        ("sh scripts/devkey.sh", "secrets/dev.key written"),
        ("bin/fleet render", "rendered 6 files"),
        sort="preparation",
        says=("First run `sh scripts/devkey.sh`",),
    ),
    case(
        "a command that writes the missing file",
        ("bin/fleet render", "!fleet: secrets/dev.key is missing"),
        ("mkdir -p secrets; openssl rand -hex 12 > secrets/dev.key", ""),
        ("chmod 600 secrets/dev.key", ""),
        ("bin/fleet render", "rendered 6 files"),
        sort="preparation",
        says=("mkdir -p secrets && openssl rand -hex 12 > secrets/dev.key",),
        never=("chmod",),
    ),
    case(
        "the same task with another flag is no preparation",
        ("node bin/site.mjs build --target print", "!SyntaxError: Unexpected token"),
        ("node bin/site.mjs build --target web", "built"),
        ("node bin/site.mjs build --target print", "built"),
    ),
    case(
        "a task of the project's script that the error does not name",
        ("./do test", "!do: routes.json does not match"),
        ("./do serve", "serving"),
        ("./do test", "Ran 4 tests\nOK"),
    ),
    case(
        "a name across the words of an error",
        ("bin/scan all", "!OSError: no devices found"),
        ("./bin/node 8", "fine"),
        ("bin/scan all", "3 devices"),
    ),
    case(
        "a check that the error names",
        ("./do test", "!do: run the checks first"),
        ("./do checks", "fine"),
        ("./do test", "Ran 4 tests\nOK"),
    ),
    case(
        "a task of the project",
        ("make", "!src/lex.c:3:10: fatal error: tokens.h: No such file or directory"),
        ("grep -n tokens Makefile", "tokens:"),
        ("make tokens && make", "cc -o lexer"),
        sort="preparation",
        says=("`make tokens`",),
    ),
    case(
        "tests are no preparation",
        ("make", "!src/lex.c:3:10: fatal error: tokens.h: No such file or directory"),
        ("make check", "all tests passed"),
        ("make", "cc -o lexer"),
    ),
    case(
        "the command that writes the missing file, with its folder",
        ("make", "!src/lex.c:3:10: fatal error: tokens.h: No such file or directory"),
        ("mkdir -p out/gen && awk -f tok.awk tok.def > out/gen/tokens.h", ""),
        ("make", "cc -o lexer"),
        sort="preparation",
        says=("`mkdir -p out/gen && awk -f tok.awk tok.def > out/gen/tokens.h`",),
    ),
    case(
        "the command that writes the missing file, without the one before it",
        ("make", "!src/lex.c:3:10: fatal error: tokens.h: No such file or directory"),
        ("touch out/stamp && awk -f tok.awk tok.def > out/tokens.h", ""),
        ("make", "cc -o lexer"),
        sort="preparation",
        says=("`awk -f tok.awk tok.def > out/tokens.h`",),
        never=("touch",),
    ),
    case(
        "a hook asks for the format",
        ('git add -A && git commit -m "Sort"', "!style: 1 file is not formatted: src/a.ts"),
        ("npm run format", "rewrote 1 file"),
        ('git add -A && git commit -m "Sort"', "1 file changed"),
        sort="preparation",
        says=("`npm run format`",),
    ),
    case(
        "a generator in another folder",
        ("./dev.sh test", "!TableError: colours.toml and colours.py disagree"),
        ("cd tools && python3 gen_colours.py", "wrote colours.py"),
        ("./dev.sh test", "Ran 4 tests in 0.1s\n\nOK"),
        sort="preparation",
        says=("`cd tools && python3 gen_colours.py`",),
    ),
    case(
        "a column is no file",
        ("psql -f sum.sql", '!psql:sum.sql:1: ERROR:  column "sum.sql" does not exist'),
        ("cat <<'EOF' > sum.sql\nselect total from sales;\nEOF", ""),
        ("psql -f sum.sql", "40"),
    ),
    case(
        "the right to run a file",
        ("cd bin && ./fill.sh", "!bash: line 1: ./fill.sh: Permission denied"),
        ("chmod +x bin/fill.sh && ./bin/fill.sh", "4 rows"),
        sort="preparation",
        says=("`chmod +x bin/fill.sh`",),
        never=("instead",),
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
    case(
        "dependencies, though a variable is missing too",
        ("npm test", "!sh: 1: vitest: not found"),
        ("npm ci", "added 204 packages"),
        ("npm test", "!Error: DB_FILE must be set"),
        sort="preparation",
        says=("`npm ci`",),
    ),
    case(
        "a variable brings no program",
        ("npm test", "!sh: 1: vitest: not found"),
        ("DB_FILE=a.json npm test", "Tests: 3 passed, 3 total"),
        sort=None,
    ),
    case(
        "dependencies in a line that then finds errors",
        ("npm run types", "!sh: 1: tsc: not found"),
        (
            "npm ci > /dev/null 2>&1 && npm run types",
            "!src/a.ts(1,2): error TS2345: Argument of type 'A' is not assignable to type 'B'.",
        ),
        sort="preparation",
        says=("`npm ci`",),
        never=("/dev/null",),
    ),
    case(
        "what began the rebase, not what went on with it",
        ("git push", REJECTED),
        ("git pull --rebase", "!CONFLICT (content): Merge conflict in a.md"),
        ("git add a.md && GIT_EDITOR=true git rebase --continue", "Successfully rebased"),
        ("git push", "main -> main"),
        sort="preparation",
        says=("`git pull --rebase`",),
        never=("--continue",),
    ),
    case(
        "who commits, without a name",
        (
            "git commit -m x",
            "!fatal: unable to auto-detect email address (got 'me@host.(none)')",
        ),
        ("git config user.email ida@example.org && git config user.name Ida", ""),
        ("git commit -m x", "[main 1] x"),
        sort="preparation",
        says=("`user.email` and `user.name`",),
        never=("ida", "Ida"),
    ),
    case(
        "a build that was not set up",
        ("cmake --build build", "!Error: /x/build is not a directory"),
        ("cmake -S . -B build && cmake --build build", "[100%] Built target a"),
        sort="preparation",
        says=("`cmake -S . -B build`",),
    ),
    case(
        "line ends of windows",
        ("./ci.sh", "!bash: line 1: ./ci.sh: cannot execute: required file not found"),
        (r"sed -i 's/\r$//' ci.sh && ./ci.sh", "fine"),
        sort="preparation",
        says=(r"`sed -i 's/\r$//' ci.sh`",),
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
test_the_run_that_shows_a_fix_applies_it = applied_in(CASES)
test_a_call_applies_a_fix_or_not = told_apart(
    CASES,
    [
        ("dependencies of node", "npm ci", "npm test"),
        ("a package of python", "pip install pyyaml==6", "pip install flask"),
        ("a package that was only named", "touch shop/__init__.py", "touch shop/a.py"),
        ("who commits, without a name", "git config user.email a@b.org", "git config core.pager x"),
    ],
)


def told(
    error: str, *between: str, call: str = "kit run", last: str = "", output: str = "ok"
) -> str:
    """The preparation that a run shows between two equal calls; "" for none."""
    steps = [step_of(call, f"!{error}"), *map(step_of, between), step_of(last or call, output)]
    fix = preparation_fix(case_of(steps, 0))
    return fix.call if fix else ""


@pytest.mark.parametrize(
    ("error", "between", "found"),
    [
        ("no database", ["createdb shop"], "createdb shop"),
        ("no database", ["ls", "createdb shop"], "createdb shop"),
        ("no database", ["createdb shop", "npm ci"], "createdb shop && npm ci"),
        ("no database", ["createdb shop", "npm ci", "go get x"], ""),
        ("the shop is not there", ["createdb shop", "npm ci", "go get x"], "createdb shop"),
        ("no database", ["git commit -m x", "rm a"], ""),
        ("no database", ["tar xf x.tgz"], ""),
        ("no database", ["npm ci", "git add .", "touch done"], "npm ci"),
        ("no database", ["kit rebase --continue"], ""),
        ("no database", ["kubectl get pods"], ""),
        ("no database", ["git checkout a.py"], ""),
        ("no database", ["git restore a.py"], ""),
        ("no database", ["git stash apply"], ""),
        ("no database", ["dotnet restore"], "dotnet restore"),
        ("no database", ["pip install kit > /dev/null 2>&1"], "pip install kit"),
        ("no database", ["pip install kit==1.2", "pip install kit"], "pip install kit"),
        ("no database", ["sed -i 's/a/b/' a.sh"], ""),
        ("no database", ["pip install /home/kim/kit"], ""),
        ("no database", ["pip install " + "k" * 200], ""),
        ("no database", ["cat > a.py <<'E'\nx\nE", "npm ci"], ""),
        ("no npm things: ci", ["cat > a.py <<'E'\nx\nE", "npm ci"], ""),
        ("no folder out", ["mkdir -p lib/out"], "mkdir -p lib/out"),
        ("no database", ["cp a b", "npm ci", "go get x"], "npm ci && go get x"),
        ("no b here", ["cp a b", "npm ci", "go get x"], "cp a b"),
    ],
)
def test_what_was_prepared_explains_the_success(error: str, between: list[str], found: str) -> None:
    assert told(error, *between) == found


def test_a_preparation_that_failed_explains_nothing() -> None:
    steps = [
        step_of("kit run", "!no database"),
        step_of("createdb shop", "!denied"),
        step_of("kit run", "ok"),
    ]

    assert preparation_fix(case_of(steps, 0)) is None


def test_what_was_done_before_the_last_equal_failure_did_not_help() -> None:
    steps = [
        step_of("kit run", "!no database"),
        step_of("npm ci"),
        step_of("kit run", "!no database"),
        step_of("createdb shop"),
        step_of("kit run", "ok"),
    ]
    fix = preparation_fix(case_of(steps, 0))

    assert fix
    assert fix.call == "createdb shop"


def test_a_preparation_may_stand_before_the_call_in_its_line() -> None:
    assert told("no database", last="createdb shop && kit run") == "createdb shop"
    assert told("no database", call="createdb a; kit run", last="createdb a; kit run") == ""


@pytest.mark.parametrize(
    ("last", "output", "found"),
    [
        ("kit run; ls", "fatal: no", ""),
        ("kit run; ls", "fine", "createdb shop"),
        ("kit other", "fine", ""),
        ("kit run x", "fine", ""),
        ("kit run", "!boom", ""),
    ],
)
def test_the_same_call_has_to_work_afterwards(last: str, output: str, found: str) -> None:
    assert told("no database", "createdb shop", last=last, output=output) == found


@pytest.mark.parametrize(
    ("key", "call", "is_applied"),
    [
        ("npm ci", "npm ci", True),
        ("npm ci", "npm test", False),
        ("pip install kit", "pip install kit==3", True),
        ("pip install kit", "pip install other", False),
        ("write the file", "cat > a.py <<'E'\nx\nE\npython a.py", True),
        ("write the file", "python a.py", False),
        ("package folder", "touch a/__init__.py", True),
        ("package folder", "touch a/b.py", False),
    ],
)
def test_a_command_does_the_preparation(key: str, call: str, is_applied: bool) -> None:
    assert applies_preparation(key, step_of(call)) is is_applied


def test_a_preparation_is_known_again_wherever_its_files_lie() -> None:
    def key(folder: str) -> str:
        calls = ("kit run", f"docker build {folder}/web", "kit run")
        outputs = ("!no image", "", "ok")
        fix = preparation_fix(case_of(list(map(step_of, calls, outputs)), 0))
        assert fix
        return fix.key

    assert key("/srv/one") == key("/srv/two") == key("./three")
    assert key("shop") == f"{key('/srv/one')} web"
