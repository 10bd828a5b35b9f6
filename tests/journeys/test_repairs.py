"""Ordinary repairs: a call fails, another works; the third meeting is told, other calls are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

import hardwon
from hardwon import Hardwon

Row = tuple[str, str, str, str]  # the call that fails, its error, the call that works, its output

TUNED: list[Row] = [  # looked at while the learning was written
    (
        "pytest -q",
        "bash: line 1: pytest: command not found",
        "python -m pytest -q",
        "12 passed in 0.3s",
    ),
    (
        "python -m mkdocs build",
        "/usr/bin/python: No module named mkdocs",
        "uv run python -m mkdocs build",
        "INFO - Documentation built",
    ),
    (
        "psql shop -c 'select 1'",
        'psql: error: connection to server on socket failed: FATAL:  role "root" does not exist',
        "psql -U postgres shop -c 'select 1'",
        " ?column?\n 1",
    ),
    (
        "ssh deploy@box uptime",
        "deploy@box: Permission denied (publickey).",
        "ssh -i ~/.ssh/deploy deploy@box uptime",
        " 10:02 up 3 days",
    ),
    (
        "sed -i '' 's/a/b/' app.conf",
        "sed: can't read s/a/b/: No such file or directory",
        "sed -i 's/a/b/' app.conf",
        "",
    ),
    (
        "kubectl apply -f deploy/app.yml",
        'error: the path "deploy/app.yml" does not exist',
        "kubectl apply -f deploy/app.yaml",
        "deployment.apps/app configured",
    ),
    (
        "alembic upgrade head",
        "FAILED: Can't locate revision identified by '9f1c'",
        "alembic stamp base && alembic upgrade head",
        "INFO  Running upgrade",
    ),
    (
        "cargo build",
        "error: package `time v0.3.36` cannot be built because it requires rustc 1.80 or newer",
        "cargo +1.80 build",
        "Finished dev",
    ),
    (
        "mvn -q test",
        "Error: JAVA_HOME is not defined correctly.",
        "JAVA_HOME=/usr/lib/jvm/java-17 mvn -q test",
        "BUILD SUCCESS",
    ),
    ("npm test", 'npm error Missing script: "test"', "npm run test:unit", "Tests: 12 passed"),
    (
        "make test",
        "make: *** No rule to make target 'test'.  Stop.",
        "make check",
        "all checks passed",
    ),
    (
        "docker-compose up -d db",
        "bash: docker-compose: command not found",
        "docker compose up -d db",
        "Container db Started",
    ),
    (
        "python manage.py migrate",
        "bash: python: command not found",
        "python3 manage.py migrate",
        "Applying auth.0001_initial... OK",
    ),
    (
        "git push",
        "fatal: The current branch topic has no upstream branch.",
        "git push --set-upstream origin topic",
        "branch 'topic' set up to track 'origin/topic'.",
    ),
    (
        "npm ci",
        "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
        "npm install",
        "added 210 packages",
    ),
    (
        "pip install -r requirements.txt",
        "error: externally-managed-environment",
        "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
        "Successfully installed",
    ),
    (
        "curl http://api.internal/health",
        "curl: (52) Empty reply from server",
        "curl https://api.internal/health",
        '{"status":"ok"}',
    ),
    (
        "terraform plan",
        "Error: Required plugins are not installed",
        "terraform init && terraform plan",
        "No changes.",
    ),
    (
        "go test ./...",
        "go: cannot find main module, but found .git/config",
        "cd service && go test ./...",
        "ok  example/service 0.1s",
    ),
    (
        "bundle exec rspec",
        "Could not find rake-13.0.6 in locally installed gems",
        "bundle install && bundle exec rspec",
        "14 examples, 0 failures",
    ),
    (
        "yarn build",
        "The project requires yarn 4.1.0, but the global version is 1.22",
        "corepack enable && yarn build",
        "Done in 3s",
    ),
    (
        "helm upgrade web charts/web",
        'Error: UPGRADE FAILED: "web" has no deployed releases',
        "helm upgrade --install web charts/web",
        'Release "web" has been upgraded.',
    ),
    (
        "aws s3 ls s3://build-logs",
        'Unable to locate credentials. You can configure credentials by running "aws configure".',
        "AWS_PROFILE=ci aws s3 ls s3://build-logs",
        "2026-01-01 logs.txt",
    ),
    (
        "flask run",
        "Error: Could not locate a Flask application.",
        "FLASK_APP=service.main flask run --port 5001",
        "Running on http://127.0.0.1:5001",
    ),
    (
        "uvicorn main:app",
        'ERROR: Error loading ASGI app. Could not import module "main".',
        "uvicorn service.main:app",
        "Uvicorn running on",
    ),
    (
        "mysql -u root app < dump.sql",
        "ERROR 1698 (28000): Access denied for user 'root'@'localhost'",
        "sudo mysql app < dump.sql",
        "",
    ),
    ("gradle build", "bash: gradle: command not found", "./gradlew build", "BUILD SUCCESSFUL"),
    (
        "python train.py --epochs 3",
        "ModuleNotFoundError: No module named 'model'",
        "PYTHONPATH=src python train.py --epochs 3",
        "epoch 3 done",
    ),
    ("tsc", "bash: tsc: command not found", "npx tsc --noEmit", ""),
    (
        "rsync -a build/ web:/srv/www",
        "rsync: command not found on remote host",
        "scp -r build/. web:/srv/www",
        "",
    ),
    (
        "ansible-playbook site.yml",
        "ERROR! Attempting to decrypt but no vault secrets found",
        "ansible-playbook site.yml --vault-password-file .vault",
        "PLAY RECAP ok=5",
    ),
    (
        "redis-cli ping",
        "Could not connect to Redis at 127.0.0.1:6379: Connection refused",
        "redis-cli -p 6380 ping",
        "PONG",
    ),
]
HELD_OUT: list[Row] = [  # written before, and not looked at
    ("zig build test", "error: no step named 'test'", "zig build check", "All 4 tests passed."),
    ("phpunit", "bash: phpunit: command not found", "vendor/bin/phpunit", "OK (12 tests)"),
    (
        "mix test",
        "** (Mix) The database for App.Repo couldn't be created: killed",
        "MIX_ENV=test mix ecto.create && mix test",
        "12 tests, 0 failures",
    ),
    (
        "swift test",
        "error: could not find Package.swift in this directory",
        "cd Core && swift test",
        "Executed 12 tests",
    ),
    (
        "dotnet run",
        "Couldn't find a project to run.",
        "dotnet run --project src/App",
        "Now listening on",
    ),
    (
        "openssl req -new -key k.pem",
        "unable to load Private Key",
        "openssl req -new -newkey rsa:2048 -nodes -keyout k.pem",
        "-----BEGIN CERTIFICATE REQUEST-----",
    ),
    (
        "ffmpeg -i a.mov a.mp4",
        "File 'a.mp4' already exists. Exiting.",
        "ffmpeg -y -i a.mov a.mp4",
        "video:1kB",
    ),
    (
        "tar xf data.tar.zst",
        "tar (child): zstd: Cannot exec: No such file or directory",
        "apt-get install -y zstd && tar xf data.tar.zst",
        "",
    ),
    ("just lint", "error: Justfile does not contain recipe `lint`.", "just style", "ok"),
    ("poetry run app", "Command not found: app", "poetry install && poetry run app", "started"),
    (
        "gh pr create --fill",
        "GraphQL: Head sha can't be blank, No commits between main and main",
        "git push -u origin HEAD && gh pr create --fill",
        "https://github.com/a/b/pull/1",
    ),
    (
        "nix build",
        "error: experimental Nix feature 'flakes' is disabled",
        "nix --extra-experimental-features 'nix-command flakes' build",
        "",
    ),
    ("elm make src/Main.elm", "-- MISSING elm.json", "cd web && elm make src/Main.elm", "Success!"),
    (
        "sqlite3 app.db < schema.sql",
        "Error: near line 3: table users already exists",
        "rm app.db && sqlite3 app.db < schema.sql",
        "",
    ),
    (
        "bazel test //...",
        "ERROR: The project you're trying to build requires Bazel 7.1.0",
        "bazelisk test //...",
        "Executed 3 out of 3 tests",
    ),
    ("ctest", "No tests were found!!!", "ctest --test-dir build", "100% tests passed"),
]
EVERYDAY = [  # other scripts, hosts, sub-commands and tasks of the same programs
    "python setup.py build",
    "python3 tests/test_dates.py",
    "python scripts/export_orders.py out.csv",
    "pytest tests/unit -q",
    "npm run lint",
    "npm run build",
    "npm run dev",
    "make build",
    "make lint",
    "make clean",
    "docker compose ps",
    "docker compose logs web",
    "docker build -t web .",
    "git status",
    "git diff --stat",
    "git commit -am wip",
    "git pull --rebase",
    "git push origin main",
    "git log --oneline -5",
    "kubectl get pods",
    "kubectl logs web-1",
    "kubectl apply -f infra/db.yaml",
    "helm list",
    "helm upgrade db charts/db",
    "terraform fmt",
    "terraform validate",
    "terraform apply",
    "aws s3 ls s3://other-bucket",
    "aws sts get-caller-identity",
    "ssh admin@db uptime",
    "ssh deploy@web uptime",
    "scp a.txt web:/tmp",
    "curl https://api.internal/users",
    "curl http://localhost:8080/health",
    "psql -U app billing -c 'select 2'",
    "mysql -u app shop",
    "sqlite3 other.db .tables",
    "redis-cli -p 6380 get x",
    "alembic history",
    "alembic downgrade -1",
    "cargo test",
    "cargo fmt",
    "cargo +1.80 test",
    "mvn -q package",
    "gradle tasks",
    "./gradlew test",
    "go build ./...",
    "go vet ./...",
    "bundle install",
    "bundle exec rubocop",
    "yarn test",
    "yarn install",
    "flask routes",
    "uvicorn other.main:app",
    "python eval.py --epochs 1",
    "python train.py --epochs 5 --resume",
    "tsc --version",
    "npx eslint .",
    "ansible-playbook db.yml",
    "ansible -m ping all",
    "rsync -a docs/ web:/srv/docs",
    "pip install requests",
    "pip list",
    "poetry add click",
    "dotnet build",
    "dotnet test",
    "swift build",
    "mix compile",
    "zig build",
    "just build",
    "ffmpeg -i b.mov b.mp4",
    "tar xf other.tar.gz",
    "openssl version",
    "gh pr list",
    "gh issue list",
    "nix flake check",
    "elm install",
    "bazel build //app",
    "ctest --test-dir out",
    "sed -i 's/x/y/' other.conf",
    "rg FIXME lib",
    "ls -la",
    "cat README.md",
]


@pytest.fixture
def hw() -> Iterator[Hardwon]:
    with hardwon.open("memory:") as opened:
        yield opened


def repair(hw: Hardwon, row: Row, task: str) -> None:
    """One run that fails and then finds the call that works."""
    fails, error, works, output = row
    agent = hw.agent("coder", project="acme/x")
    agent.after_action("bash", {"command": fails}, output=error, failed=True)
    agent.after_action("bash", {"command": works}, output=output, failed=False)
    agent.after_run(task=task)


@pytest.mark.parametrize("row", [*TUNED, *HELD_OUT], ids=lambda row: row[0])
def test_what_worked_is_told_at_the_third_meeting(hw: Hardwon, row: Row) -> None:
    for day in ("Monday", "Tuesday"):
        repair(hw, row, f"the job of {day}")
    fails, error, works, _ = row
    agent = hw.agent("coder", project="acme/x")

    before = agent.before_action("bash", {"command": fails})
    after = agent.after_action("bash", {"command": fails}, output=error, failed=True)

    assert works.rpartition("&& ")[2] in before + after


@pytest.mark.parametrize("rows", [TUNED[:5], [*TUNED, *HELD_OUT]], ids=["few", "many"])
def test_other_calls_of_the_same_programs_are_left_alone(hw: Hardwon, rows: Sequence[Row]) -> None:
    for row in rows:
        repair(hw, row, "the job of Monday")

    told = [
        call
        for call in EVERYDAY
        if hw.agent("coder", project="acme/x").before_action("bash", {"command": call})
    ]

    assert told == []
