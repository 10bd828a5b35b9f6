"""Runs of agents in many fields: a call that fails, its cure, and what the next run is told."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple


class Field(NamedTuple):
    """The steps of a run as (tool, call, output), `!` before the output of a call that failed."""

    name: str
    steps: tuple[tuple[str, Any, str], ...]
    says: tuple[str, ...]  # what the same failure is answered with in another run
    other: Mapping[str, str] = MappingProxyType({})  # names, and what the second run has for them
    when: tuple[str, ...] = ()  # what the situation of the lesson holds


def sh(command: str, output: str = "") -> tuple[str, Any, str]:
    return "bash", {"command": command}, output


def tool(called: str, output: str, /, **args: Any) -> tuple[str, Any, str]:
    return called, args, output


ZOD = (
    "!MCP error -32602: Invalid arguments for tool create_card: [\n"
    '  {{\n    "code": "{}",\n    "path": [\n      "{}"\n    ],\n    "message": "{}"\n  }}\n]'
)
STRICT = (
    "!Error: locator.click: Error: strict mode violation: locator('text=Save') resolved to 2"
    " elements:\n    1) <button>Save</button> aka getByRole('button')\n    2) <a>Save as</a>\n\n"
    "Call log:\n  - waiting for locator('text=Save')"
)
GRADLE = (
    "!FAILURE: Build failed with an exception.\n\n* What went wrong:\nA problem occurred configuring"
    " root project 'shop'.\n> Could not resolve all artifacts for configuration ':classpath'.\n"
    "   > Could not resolve org.boot:boot-plugin:3.2.0.\n     Required by:\n         project :\n"
    "      > No matching variant of org.boot:boot-plugin:3.2.0 was found. The consumer was"
    " configured to find a library compatible with Java 11\n\n* Try:\n> Run with --stacktrace"
    " option to get the stack trace.\n\nBUILD FAILED in 2s"
)
MAVEN = (
    "![INFO] BUILD FAILURE\n[ERROR] Failed to execute goal on project shop: Could not resolve"
    " dependencies for project com.acme:shop:jar:1.0: Could not find artifact com.acme:model:jar:1.0"
)
NUGET = "!/src/Shop/Shop.csproj : error NU1101: Unable to find package Acme.Core.\n\nBuild FAILED."
OPENSSL = (
    "!error: failed to run custom build command for `openssl-sys v0.9.99`\n\nCaused by:\n  process"
    " didn't exit successfully: `/t/build` (exit status: 101)\n  --- stderr\n  Could not find"
    " directory of OpenSSL installation"
)
TASK = (
    '!TASK [install] ***\nfatal: [web1]: FAILED! => {"changed": false, "msg": "This command has to'
    ' be run under the root user."}\n\nPLAY RECAP ***\nweb1 : ok=1 failed=1'
)
SHARDS = (
    '!{"error": {"root_cause": [{"type": "illegal_argument_exception", "reason": "Text fields are not'
    ' sorted. Use a keyword field instead."}], "reason": "all shards failed"}, "status": 400}'
)

FIELDS = (
    Field(
        "SQL: a column of two tables",
        (
            tool(
                "run_sql",
                '!ERROR:  column reference "id" is ambiguous\nLINE 1: SELECT id',
                query="SELECT id FROM parts p JOIN bins b ON b.part = p.code",
            ),
            tool("run_sql", "1", query="SELECT p.id FROM parts p JOIN bins b ON b.part = p.code"),
        ),
        ("(another `query` as `SELECT p.id FROM parts p JOIN bins b ON b.part = p.code`)",),
        {"parts": "trees"},
    ),
    Field(
        "GraphQL: a field of another name",
        (
            tool(
                "graphql",
                '!{"errors": [{"message": "Cannot query field \\"total\\" on type \\"Order\\"."}]}',
                query="{ order(id: 5) { total } }",
            ),
            tool("graphql", '{"data": {}}', query="{ order(id: 5) { totalPrice } }"),
        ),
        ("`graphql(query)` (another `query` as `{ order(id: 5) { totalPrice } }`)",),
        {"id: 5": "id: 8"},
    ),
    Field(
        "a cloud's command line without a region",
        (
            sh("aws ec2 describe-instances", "!\nYou must specify a region."),
            sh("aws ec2 describe-instances --region eu-west-1", "[]"),
        ),
        ("`aws ec2 describe-instances --region eu-west-1`",),
        {"ec2 describe-instances": "lambda list-functions"},
    ),
    Field(
        "a login that has expired",
        (
            sh("aws s3 ls", "!Error when retrieving token from sso: Token has expired"),
            sh("aws sso login", "Successfully logged in"),
            sh("aws s3 ls", "2026-01-01 logs"),
        ),
        ("first `aws sso login`, then `aws s3 ls`",),
    ),
    Field(
        "a service that is not enabled",
        (
            sh(
                "gcloud run deploy api",
                "!ERROR: (gcloud.run.deploy) PERMISSION_DENIED: Cloud Run Admin API has not been"
                " used in project 1234 before or it is disabled.",
            ),
            sh("gcloud services enable run.googleapis.com", "finished successfully"),
            sh("gcloud run deploy api", "deployed"),
        ),
        ("first `gcloud services enable run.googleapis.com`, then",),
        {"api": "web", "1234": "5678"},
    ),
    Field(
        "a subscription that is not chosen",
        (
            sh("az containerapp list", "!ERROR: (SubscriptionNotFound) Subscription 'a' was not found"),
            sh("az account set --subscription platform"),
            sh("az containerapp list", "[]"),
        ),
        ("first `az account set --subscription platform`, then",),
    ),
    Field(
        "an object of another namespace",
        (
            sh("kubectl get deploy web", '!Error from server (NotFound): deployments "web" not found'),
            sh("kubectl get deploy web -n shop", "web 2/2"),
        ),
        ("`kubectl get deploy web -n shop`",),
        {"web": "api"},
    ),
    Field(
        "a folder that Terraform has not set up",
        (
            sh("terraform plan", '!╷\n│ Error: Backend initialization required, run "terraform init"\n╵'),
            sh("terraform init", "initialized"),
            sh("terraform plan", "No changes."),
        ),
        ("What worked: first `terraform init`, then `terraform plan`.",),
    ),
    Field(
        "a first release of Helm",
        (
            sh("helm upgrade api ./chart", '!Error: UPGRADE FAILED: "api" has no deployed releases'),
            sh("helm upgrade --install api ./chart", "STATUS: deployed"),
        ),
        ("`helm upgrade --install api ./chart`",),
        {"api": "web"},
    ),
    Field(
        "problem+json: an amount with a fraction",
        (
            tool(
                "http_request",
                '!{"title": "Your request is not valid.", "status": 422, "invalid-params":'
                ' [{"name": "amount", "reason": "must be an integer"}]}',
                url="https://api.test/refunds",
                body={"amount": 12.5},
            ),
            tool("http_request", '{"id": 1}', url="https://api.test/refunds", body={"amount": 1250}),
        ),
        ("(another `body.amount` as `1250`)",),
        {"refunds": "credits"},
    ),
    Field(
        "REST: a header that is missing",
        (
            tool(
                "http_request",
                '!HTTP 400 Bad Request\n{"error": {"message": "Idempotency-Key header is required"}}',
                url="https://api.test/payouts",
                headers={"Accept": "x"},
            ),
            tool(
                "http_request",
                '{"id": 1}',
                url="https://api.test/payouts",
                headers={"Accept": "x", "Idempotency-Key": "k-1"},
            ),
        ),
        ("(with `headers.Idempotency-Key`)",),
        {"payouts": "refunds"},
    ),
    Field(
        "a browser: two elements",
        (
            tool("browser_click", STRICT, selector="text=Save"),
            tool("browser_click", "Clicked", selector="button >> text=Save"),
        ),
        ("(another `selector` as `button >> text=Save`)",),
        {"Save": "Delete"},
    ),
    Field(
        "a spreadsheet: a name with blanks",
        (
            tool(
                "sheets_read",
                '!{"error": {"code": 400, "message": "Unable to parse range: Q3 Budget!A1:C9"}}',
                range="Q3 Budget!A1:C9",
            ),
            tool("sheets_read", '{"values": []}', range="'Q3 Budget'!A1:C9"),
        ),
        ("(another `range`)",),
        {"Q3 Budget": "Open Items", "A1:C9": "B2:D4"},
    ),
    Field(
        "a spreadsheet: a list of rows",
        (
            tool("sheets_append", "!Error: values must be a list of rows", values=["a"]),
            tool("sheets_append", "1 row", values=[["a"]]),
        ),
        ("(another `values`)",),
        {'"a"': '"b", "c"'},
    ),
    Field(
        "mail: one address as text",
        (
            tool("send_mail", "!Error: 'to' must be a list of addresses", to="a@x.test", body="hi"),
            tool("send_mail", "sent", to=["a@x.test"], body="hi"),
        ),
        ("(another `to` as `a list of 1`)",),
        {"a@x": "b@x"},
    ),
    Field(
        "MCP: a word that is not one of those",
        (
            tool(
                "create_card",
                ZOD.format(
                    "invalid_enum_value",
                    "size",
                    "Invalid enum value. Expected 'small' | 'large', received 'huge'",
                ),
                title="x",
                size="huge",
            ),
            tool("create_card", '{"key": "T-1"}', title="x", size="large"),
        ),
        ("`create_card(size, title)` (another `size` as `large`)",),
        {"huge": "giant"},
        ("size: Invalid enum value",),
    ),
    Field(
        "MCP: a field that is missing",
        (
            tool("create_card", ZOD.format("invalid_type", "version", "Required"), id="77-a"),
            tool("get_card", '{"id": "77-a", "version": 12}', id="77-a"),
            tool("create_card", "ok", id="77-a", version=12),
        ),
        ("first `get_card(id)`, then `create_card(id, version)` (with `version` as `12`)",),
        {"77-a": "81-b", "12": "31"},
        ("version: Required",),
    ),
    Field(
        "a chat: a room that was not joined",
        (
            tool("post", '!{"ok": false, "error": "not_in_channel"}', channel="ops-1", text="hi"),
            tool("join", '{"ok": true}', channel="ops-1"),
            tool("post", '{"ok": true}', channel="ops-1", text="hi"),
        ),
        ("first `join(channel)`, then `post(channel, text)`",),
        {"ops-1": "sales-2"},
    ),
    Field(
        "a search engine: a field for sorting",
        (
            tool("search_index", SHARDS, index="mails", sort="sender"),
            tool("search_index", '{"hits": []}', index="mails", sort="sender.keyword"),
        ),
        ("`search_index(index, sort)` (another `sort`)",),
        {"sender": "topic"},
    ),
    Field(
        "Gradle with an old Java",
        (
            sh("./gradlew build", GRADLE),
            sh("JAVA_HOME=/opt/java-17 ./gradlew build", "BUILD SUCCESSFUL in 30s"),
        ),
        ("`JAVA_HOME=/opt/java-17 ./gradlew build`",),
        {"'shop'": "'mail'"},
        ("Could not resolve all artifacts",),
    ),
    Field(
        "Maven: a module that another needs",
        (
            sh("mvn -pl shop test", MAVEN),
            sh("mvn -pl shop -am test", "Tests run: 3, Failures: 0\n[INFO] BUILD SUCCESS"),
        ),
        ("`mvn -pl shop -am test`",),
        {"com.acme": "org.other"},
    ),
    Field(
        "Go: a module that is not listed",
        (
            sh("go build ./...", "!main.go:5:2: missing go.sum entry for module providing package a.b/c"),
            sh("go mod tidy"),
            sh("go build ./..."),
        ),
        ("first `go mod tidy`, then `go build ./...`",),
        {"a.b/c": "a.b/d"},
    ),
    Field(
        "Rust: a library of the system",
        (
            sh("cargo build", OPENSSL),
            sh("apt-get install -y libssl-dev", "Setting up libssl-dev"),
            sh("cargo build", "Finished dev"),
        ),
        ("first `apt-get install -y libssl-dev`, then `cargo build`",),
        {"cargo build": "cargo test", "Finished dev": "test result: ok. 3 passed"},
    ),
    Field(
        ".NET: a source of packages",
        (
            sh("dotnet build", NUGET),
            sh("dotnet nuget add source https://pkgs.test/index.json -n acme", "added"),
            sh("dotnet build", "Build succeeded."),
        ),
        ("first `dotnet nuget add source https://pkgs.test/index.json -n acme`, then",),
        {"Acme.Core": "Acme.Mail"},
    ),
    Field(
        "npm: dependencies that do not fit",
        (
            sh("npm install", "!npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree"),
            sh("npm install --legacy-peer-deps", "added 120 packages"),
        ),
        ("`npm install --legacy-peer-deps`",),
    ),
    Field(
        "Docker: a port that is taken",
        (
            sh(
                "docker run -p 5432:5432 -d db",
                "!docker: Error response from daemon: Bind for 0.0.0.0:5432 failed: port is already"
                " allocated.",
            ),
            sh("docker run -p 5433:5432 -d db", "3e5f"),
        ),
        ("`docker run -p 5433:5432 -d db`",),
        {"-d db": "-d cache"},
    ),
    Field(
        "R: a package that is not installed",
        (
            sh("Rscript a.R", "!Error in library(zoo) : there is no package called ‘zoo’\nExecution halted"),
            sh("Rscript -e 'install.packages(\"zoo\")'", "* DONE (zoo)"),
            sh("Rscript a.R", "done"),
        ),
        ("first `Rscript -e 'install.packages(\"zoo\")'`, then",),
        {"a.R": "b.R"},
    ),
    Field(
        "Ansible without the rights",
        (
            sh("ansible-playbook -i hosts web.yml", TASK),
            sh("ansible-playbook -i hosts web.yml --become", "PLAY RECAP ***\nweb1 : ok=3 failed=0"),
        ),
        ("`ansible-playbook -i hosts web.yml --become`",),
        {"web.yml": "db.yml"},
    ),
)  # fmt: skip
