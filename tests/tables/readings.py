"""Outputs of failing calls as tools of many languages print them, and the kind that each has."""

from typing import NamedTuple


class Reading(NamedTuple):
    """A failing call, its output, and the readable kind; "" where the output tells nothing."""

    call: str
    output: str
    kind: str
    tool: str = "bash"


READINGS = (
    Reading(
        "cargo build",
        '   Compiling demo v0.1.0\nerror[E0425]: cannot find value `foo_bar` in this scope\n --> src/main.rs:3:5\n  |\n3 |     foo_bar\n  |     ^^^ not found in this scope\n\nerror: aborting due to 1 previous error\n\nerror: could not compile `demo` (bin "demo") due to 1 previous error',
        "error[E0425]: cannot find value <name> in this scope",
    ),
    Reading(
        "cargo build",
        "error: no matching package named `serdee` found\nlocation searched: crates.io index\nrequired by package `demo v0.1.0 (/tmp/x)`",
        "error: no matching package named <name> found",
    ),
    Reading(
        "cargo run",
        "thread 'main' panicked at src/main.rs:12:9:\nindex out of bounds: the len is 3 but the index is 7\nnote: run with `RUST_BACKTRACE=1`",
        "index out of bounds: the len is <n> but the index is <n>",
    ),
    Reading(
        "cargo test",
        "running 2 tests\ntest a ... ok\ntest tests::adds ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:10:9:\nassertion `left == right` failed\n  left: 3\n right: 4\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n\nerror: test failed, to rerun pass `--lib`",
        "assertion <name> failed",
    ),
    Reading(
        "go build ./...",
        "# example.com/app\n./main.go:5:2: undefined: Foo\n./main.go:9:3: undefined: Bar",
        "undefined <name>",
    ),
    Reading(
        "go run .",
        "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation]\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:7 +0x1d\nexit status 2",
        "panic: runtime error: invalid memory address or nil pointer dereference",
    ),
    Reading(
        "go build",
        "main.go:4:2: no required module provides package github.com/foo/bar; to add it:\n\tgo get github.com/foo/bar",
        "no required module provides package <name>; to add it: go get <name>",
    ),
    Reading(
        "go mod tidy",
        "go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
        "go: <name> file not found in current directory or any parent directory; see <name>",
    ),
    Reading(
        "npx tsc",
        "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\nsrc/b.ts(1,1): error TS2304: Cannot find name 'foo'.",
        "error TS2304: Cannot find name <name>",
    ),
    Reading(
        "npx tsc",
        "src/a.ts:3:7 - error TS2304: Cannot find name 'userId'.\n\n3 let x = userId\n          ~~~~~~\n\nFound 1 error in src/a.ts:3",
        "error TS2304: Cannot find name <name>",
    ),
    Reading(
        "npx eslint .",
        "/app/src/a.js\n  3:5  error  'foo' is not defined  no-undef\n  4:1  warning  x  y\n\n✖ 2 problems (1 error, 1 warning)",
        "error <name> is not defined no-undef",
    ),
    Reading(
        "javac A.java",
        "A.java:3: error: cannot find symbol\n        foo();\n        ^\n  symbol:   method foo()\n  location: class A\n1 error",
        "error: cannot find symbol",
    ),
    Reading(
        "java -jar app.jar",
        'Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.length()" because "s" is null\n\tat com.acme.Main.main(Main.java:5)',
        "NullPointerException: Cannot invoke <name> because <name> is null",
    ),
    Reading(
        "java -jar app.jar",
        "org.springframework.beans.factory.BeanCreationException: Error creating bean with name 'dataSource'\n\tat x.y(Z.java:1)\nCaused by: java.sql.SQLException: Access denied for user 'root'@'localhost'\n\tat a.b(C.java:2)\n\t... 10 more",
        "Caused by: SQLException: Access denied for user <name>",
    ),
    Reading(
        "gradle build",
        "FAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':compileJava'.\n> Could not find tools.jar\n\nBUILD FAILED in 2s",
        "Could not find <name>",
    ),
    Reading(
        "npm test",
        'npm ERR! Missing script: "test"\nnpm ERR! \nnpm ERR! To see a list of scripts, run:\nnpm ERR!   npm run',
        "npm ERR! Missing script <name>",
    ),
    Reading(
        "node a.js",
        "node:internal/modules/cjs/loader:1080\n  throw err;\n  ^\n\nError: Cannot find module 'express'\nRequire stack:\n- /app/a.js\n    at Module._load {\n  code: 'MODULE_NOT_FOUND'\n}\n\nNode.js v18.1.0",
        "Error: Cannot find module <name>",
    ),
    Reading(
        "node a.js",
        "/app/a.js:3\n  x.foo()\n    ^\n\nTypeError: Cannot read properties of undefined (reading 'foo')\n    at Object.<anonymous> (/app/a.js:3:5)",
        "TypeError: Cannot read properties of undefined (reading <name>)",
    ),
    Reading(
        "npx jest",
        "FAIL src/a.test.js\n  ● sum › adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 4\n    Received: 3\n\nTests:       1 failed, 2 passed, 3 total",
        "AssertionError in sum › adds",
    ),
    Reading(
        "docker run x",
        "docker: Error response from daemon: pull access denied for acme/app, repository does not exist or may require 'docker login'.\nSee 'docker run --help'.",
        "docker: Error response from daemon: pull access denied for <name>, repository does not exist or may require <name>",
    ),
    Reading(
        "docker compose up",
        "Error response from daemon: driver failed programming external connectivity on endpoint web_1 (abc): Bind for 0.0.0.0:8080 failed: port is already allocated",
        "Error response from daemon: driver failed programming external connectivity on endpoint <name> (abc): Bind for <n> failed: port is already allocated",
    ),
    Reading(
        "docker ps",
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
        "Cannot connect to the Docker daemon at <name>. Is the docker daemon running?",
    ),
    Reading(
        "docker build .",
        '#7 ERROR: process "/bin/sh -c pip install x" did not complete successfully: exit code: 1\n------\nERROR: failed to solve: process "/bin/sh -c pip install x" did not complete successfully: exit code: 1',
        "ERROR: failed to solve: process <name> did not complete successfully: exit code: 1",
    ),
    Reading(
        "kubectl get pods -n prod",
        'Error from server (Forbidden): pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "prod"',
        "Error from server (Forbidden): pods is forbidden: User <name> cannot list resource <name> in API group <name> in the namespace <name>",
    ),
    Reading(
        "kubectl get foo",
        'error: the server doesn\'t have a resource type "foo"',
        "error: the server doesn't have a resource type <name>",
    ),
    Reading(
        "kubectl apply -f x.yaml",
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
        "The connection to the server <name> was refused - did you specify the right host or port?",
    ),
    Reading(
        "terraform plan",
        '╷\n│ Error: Missing required argument\n│ \n│   on main.tf line 3, in resource "aws_instance" "web":\n│    3: resource "aws_instance" "web" {\n│ \n│ The argument "ami" is required, but no definition was found.\n╵',
        "Error: Missing required <name>",
    ),
    Reading(
        "terraform plan",
        "╷\n│ Error: Inconsistent dependency lock file\n│ \n│ run: terraform init\n╵",
        "Error: Inconsistent dependency lock file",
    ),
    Reading(
        "psql -c 'select 1 from x'",
        'ERROR:  relation "users_old" does not exist\nLINE 1: select 1 from users_old\n                      ^',
        "ERROR: relation <name> does not exist",
    ),
    Reading(
        "psql",
        'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: FATAL:  password authentication failed for user "app"',
        "psql: error: connection to server at <name> (<n>), port <n> failed: FATAL: password authentication failed for user <name>",
    ),
    Reading(
        "mysql -e 'x'",
        "ERROR 1146 (42S02) at line 1: Table 'shop.orders' doesn't exist",
        "ERROR 1146 (42S02) at line <n>: Table <name> doesn't exist",
    ),
    Reading(
        "sqlite3 x.db 'select'",
        "Error: in prepare, no such table: users",
        "Error: in prepare, no such table <name>",
    ),
    Reading(
        "git push",
        "To github.com:a/b.git\n ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs to 'github.com:a/b.git'\nhint: Updates were rejected",
        "! [rejected] main -> main (non-fast-forward)",
    ),
    Reading(
        "git checkout x",
        "error: pathspec 'feature-x' did not match any file(s) known to git",
        "error: pathspec <name> did not match any file(s) known to git",
    ),
    Reading(
        "git status",
        "fatal: not a git repository (or any of the parent directories): .git",
        "fatal: not a git repository (or any of the parent directories): .git",
    ),
    Reading(
        "git merge x",
        "Auto-merging a.txt\nCONFLICT (content): Merge conflict in a.txt\nAutomatic merge failed; fix conflicts and then commit the result.",
        "Automatic merge failed; fix conflicts and then commit the result",
    ),
    Reading(
        "gcc a.c",
        "a.c: In function 'main':\na.c:3:5: error: 'foo' undeclared (first use in this function)\n    3 |     foo;\na.c:3:5: note: each undeclared identifier is reported only once",
        "error: <name> undeclared (first use in this function)",
    ),
    Reading(
        "g++ a.cpp",
        "/usr/bin/ld: /tmp/cc1.o: in function `main':\na.cpp:(.text+0x9): undefined reference to `foo()'\ncollect2: error: ld returned 1 exit status",
        "<name>: undefined reference to <name>",
    ),
    Reading(
        "make",
        "gcc -c a.c\na.c:1:10: fatal error: missing.h: No such file or directory\ncompilation terminated.\nmake: *** [Makefile:3: a.o] Error 1",
        "fatal error: <name>: No such file or directory",
    ),
    Reading(
        "dotnet build",
        "Program.cs(3,5): error CS0103: The name 'x' does not exist in the current context [/a/a.csproj]\n\nBuild FAILED.",
        "error CS0103: The name <name> does not exist in the current context [<name>]",
    ),
    Reading(
        "ruby a.rb",
        "a.rb:3:in `foo': undefined method `bar' for nil:NilClass (NoMethodError)\n\tfrom a.rb:7:in `<main>'",
        "undefined method <name> for <name> (NoMethodError)",
    ),
    Reading(
        "php a.php",
        "PHP Fatal error:  Uncaught Error: Call to undefined function foo() in /a/a.php:3\nStack trace:\n#0 {main}\n  thrown in /a/a.php on line 3",
        "PHP Fatal error: Uncaught Error: Call to undefined function <name> in <name>",
    ),
    Reading(
        "perl a.pl",
        "Can't locate Foo/Bar.pm in @INC (you may need to install the Foo::Bar module) at a.pl line 1.",
        "Can't locate <name> in <name> (you may need to install the <name> module) at <name> line <n>",
    ),
    Reading(
        "swift build",
        "/a/main.swift:3:5: error: cannot find 'foo' in scope",
        "error: cannot find <name> in scope",
    ),
    Reading(
        "pip install nosuchpkg",
        "ERROR: Could not find a version that satisfies the requirement nosuchpkg (from versions: none)\nERROR: No matching distribution found for nosuchpkg",
        "ERROR: No matching distribution found for <name>",
    ),
    Reading(
        "curl -sS http://x",
        "curl: (7) Failed to connect to localhost port 8080: Connection refused",
        "curl: (<n>) Failed to connect to localhost port <n>: Connection refused",
    ),
    Reading(
        "curl -i http://x",
        'HTTP/1.1 404 Not Found\nContent-Type: application/json\n\n{"detail":"Item not found"}',
        "Item not found",
    ),
    Reading(
        "ssh h",
        "ssh: connect to host 10.0.0.1 port 22: Connection timed out",
        "ssh: connect to host <n> port <n>: Connection timed out",
    ),
    Reading("./run.sh", "./run.sh: line 3: jq: command not found", "no command or module named jq"),
    Reading("./run.sh", "zsh: command not found: jq", "no command or module named jq"),
    Reading("./x", "bash: ./x: Permission denied", "<name>: Permission denied"),
    Reading("sh -c x", "sh: 1: foo: not found", "no command or module named foo"),
    Reading(
        "python -m pytest",
        "/usr/bin/python3: No module named pytest",
        "no command or module named pytest",
    ),
    Reading(
        "pytest", "bash: line 1: pytest: command not found", "no command or module named pytest"
    ),
    Reading(
        "python a.py",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'x'\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    raise RuntimeError('no config') from e\nRuntimeError: no config",
        "RuntimeError: no config",
    ),
    Reading(
        '{"id":1}',
        '{\n  "error": {\n    "code": 404,\n    "message": "Order 123 not found"\n  }\n}',
        "get_order: Order <n> not found",
        "get_order",
    ),
    Reading(
        '{"x":1}',
        '{"detail":[{"loc":["body","name"],"msg":"field required","type":"value_error.missing"}]}',
        "api: name: field required",
        "api",
    ),
    Reading(
        '{"x":1}',
        '{"message":"Bad Request","errors":[{"resource":"Issue","field":"title","code":"missing_field"}]}',
        "api: title: missing_field",
        "api",
    ),
    Reading(
        '{"x":1}',
        '{"errors":[{"status":"422","source":{"pointer":"/data/attributes/first_name"},"title":"Invalid Attribute","detail":"Must have three letters."}]}',
        "api: first_name: Must have three letters",
        "api",
    ),
    Reading(
        '{"x":1}',
        '{"type":"https://example.net/validation","title":"The request did not validate.","invalid-params":[{"name":"age","reason":"must be a positive integer"}]}',
        "api: age: must be a positive integer",
        "api",
    ),
    Reading(
        '{"x":1}',
        '{"errors":{"email":["has already been taken"]}}',
        "api: email: has already been taken",
        "api",
    ),
    Reading(
        '{"ref":"e12"}',
        "### Error\nTimeoutError: locator.click: Timeout 5000ms exceeded.\nCall log:\n  - waiting for locator('aria-ref=e12')\n  - attempting click action\n    2 × waiting for element to be visible, enabled and stable\n      - element is not enabled\n    - retrying click action",
        "click: TimeoutError: <name>: Timeout <name> exceeded",
        "click",
    ),
    Reading(
        '{"x":1}',
        '{"message":"Validation Failed","errors":[{"message":"title can\'t be blank"}]}',
        "api: title can't be blank",
        "api",
    ),
    Reading(
        '{"x":1}',
        '{"isError":true,"content":[{"type":"text","text":"MCP error -32602: Invalid params: missing required field \'path\'"}]}',
        "api: MCP error -32602: Invalid params: missing required field <name>",
        "api",
    ),
    Reading(
        '{"x":1}',
        '{"error":"invalid_grant","error_description":"Token has been expired or revoked."}',
        "api: Token has been expired or revoked",
        "api",
    ),
    Reading('{"x":1}', '{"error":"not_found"}', "api: not_found", "api"),
    Reading(
        '{"x":1}',
        "{'success': False, 'reason': 'card_declined', 'code': 402}",
        "api: card_declined",
        "api",
    ),
    Reading(
        '{"x":1}',
        '<?xml version="1.0"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>',
        "api: The specified key does not exist",
        "api",
    ),
    Reading(
        '{"x":1}',
        "<soap:Envelope><soap:Body><soap:Fault><faultstring>Invalid session</faultstring></soap:Fault></soap:Body></soap:Envelope>",
        "api: Invalid session",
        "api",
    ),
    Reading('{"x":1}', "HTTP 500", "", "api"),
    Reading('{"x":1}', "Internal Server Error", "", "api"),
    Reading('{"x":1}', "tests failed", "", "api"),
    Reading('{"x":1}', "verification failed", "", "api"),
    Reading("x", "exit code 1", ""),
    Reading("x", "Command failed with exit code 1", ""),
    Reading("x", "}", ""),
    Reading("x", "PASS", ""),
    Reading("x", " 45%|████      | 45/100 [00:01<00:01]", ""),
    Reading("x", "user@host:~$ ", ""),
    Reading(
        '{"file_path":"/a/b.py"}',
        "String to replace not found in file.\nString: foo",
        "Edit: String to replace not found in file",
        "Edit",
    ),
    Reading(
        '{"file_path":"/a/b.py"}',
        "File has not been read yet. Read it first before writing to it.",
        "Edit: File has not been read yet. Read it first before writing to it",
        "Edit",
    ),
    Reading('{"file_path":"/a/b.py"}', "File does not exist.", "Read: File does not exist", "Read"),
    Reading(
        '{"q":"x"}',
        "Error: 429 Too Many Requests: rate limit exceeded, retry in 20s",
        "Error: 429 Too Many Requests: rate limit exceeded, retry in <name>",
        "search",
    ),
    Reading(
        '{"q":"x"}',
        "ToolException: Error calling tool: timeout after 30s",
        "call: ToolException: Error calling tool: timeout after <name>",
        "call",
    ),
    Reading(
        '{"q":"x"}',
        "Error executing tool get_item: 2 validation errors for get_itemArguments\nid\n  Field required",
        "call: id: Field required",
        "call",
    ),
    Reading(
        "aws s3 cp a s3://b",
        "An error occurred (NoSuchBucket) when calling the PutObject operation: The specified bucket does not exist",
        "An error occurred (NoSuchBucket) when calling the <name> operation: The specified bucket does not exist",
    ),
    Reading(
        "gh pr create",
        "pull request create failed: GraphQL: No commits between main and main (createPullRequest)",
        "pull request create failed: <name>: No commits between main and main (<name>)",
    ),
    Reading(
        "helm upgrade x",
        "Error: UPGRADE FAILED: release: not found",
        "Error: UPGRADE FAILED: release: not found",
    ),
    Reading(
        "helm install x",
        "Error: INSTALLATION FAILED: cannot re-use a name that is still in use",
        "Error: INSTALLATION FAILED: cannot re-use a name that is still in use",
    ),
    Reading(
        "ansible-playbook x",
        'fatal: [web1]: FAILED! => {"changed": false, "msg": "No package matching \'ngnix\' found"}',
        "No package matching <name> found",
    ),
    Reading(
        "mypy .",
        'app/a.py:3: error: Incompatible return value type (got "int", expected "str")  [return-value]\nFound 1 error in 1 file (checked 3 source files)',
        "error: Incompatible return value type (got <name>, expected <name>) [return-value]",
    ),
    Reading(
        "ruff check",
        "app/a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.",
        "F401 [*] <name> imported but unused",
    ),
    Reading(
        "rspec",
        "Failures:\n\n  1) Foo bar\n     Failure/Error: expect(x).to eq 3\n\n       expected: 3\n            got: 2\n\n1 example, 1 failure",
        "<name>.to eq <n>",
    ),
    Reading(
        "bundle exec x",
        "Could not find gem 'rails (~> 7.0)' in locally installed gems.",
        "Could not find gem <name> in locally installed gems",
    ),
    Reading(
        "pnpm test",
        'ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND  No package.json was found in "/app".',
        "ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND No <name> was found in <name>",
    ),
    Reading("yarn build", 'error Command "build" not found.', "error Command <name> not found"),
    Reading("vitest", "AssertionError: expected 3 to be 4 // Object.is equality", "AssertionError"),
    Reading(
        "mix test",
        "** (UndefinedFunctionError) function Foo.bar/1 is undefined (module Foo is not available)",
        "(UndefinedFunctionError) function <name> is undefined (module Foo is not available)",
    ),
    Reading(
        "ghc a.hs",
        "a.hs:3:5: error: Variable not in scope: foo",
        "error: Variable not in scope <name>",
    ),
    Reading(
        "Rscript a.R",
        "Error in library(dplyr) : there is no package called ‘dplyr’\nExecution halted",
        "no command or module named dplyr",
    ),
    Reading(
        "cmake ..",
        'CMake Error at CMakeLists.txt:3 (find_package):\n  Could not find a package configuration file provided by "Foo"',
        "CMake Error at <name> (<name>): Could not find a package configuration file provided by <name>",
    ),
    Reading(
        "flutter build",
        "lib/main.dart:3:5: Error: Undefined name 'foo'.",
        "Error: Undefined name <name>",
    ),
    Reading(
        "powershell x",
        "Get-Item : Cannot find path 'C:\\x' because it does not exist.",
        "Get-Item : Cannot find path <name> because it does not exist",
    ),
    Reading(
        "x",
        "'foo' is not recognized as an internal or external command,\noperable program or batch file.",
        "no command or module named foo",
    ),
    Reading(
        "nginx -t",
        'nginx: [emerg] unknown directive "servr" in /etc/nginx/nginx.conf:3',
        "nginx: [emerg] unknown directive <name> in <name>",
    ),
    Reading(
        "systemctl start x",
        "Job for nginx.service failed because the control process exited with error code.",
        "Job for <name> failed because the control process exited with error code",
    ),
    Reading(
        "redis-cli",
        "Could not connect to Redis at 127.0.0.1:6379: Connection refused",
        "Could not connect to Redis at <n>: Connection refused",
    ),
    Reading(
        "pytest tests/a.py",
        "E   fixture 'client' not found\n>   available fixtures: cache, capfd\n\n/a/tests/a.py:3\n=== short test summary info ===\nERROR tests/a.py::test_x\n=== 1 error in 0.1s ===",
        "fixture client not found",
    ),
    Reading(
        "pytest tests/a.py",
        "ERROR: file or directory not found: tests/a.py\n\ncollected 0 items",
        "ERROR: file or directory not found <name>",
    ),
    Reading(
        "pytest",
        "    def test_a():\n>       assert f(1) == 2\nE       assert 1 == 2\nE        +  where 1 = f(1)\n\na.py:3: AssertionError\nFAILED a.py::test_a - assert 1 == 2\n1 failed in 0.02s",
        "AssertionError in test_a",
    ),
    Reading(
        "python manage.py test",
        "E\n======\nERROR: test_x (app.tests.T)\n------\nTraceback (most recent call last):\n  File \"/a/b.py\", line 3, in test_x\n    Book.objects.get()\ndjango.db.utils.OperationalError: no such table: shop_book\n\n------\nRan 1 test in 0.003s\n\nFAILED (errors=1)\nDestroying test database for alias 'default'...",
        "OperationalError: no such table <name>",
    ),
    Reading(
        "python a.py",
        "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    import requests_toolbelt\nModuleNotFoundError: No module named 'requests_toolbelt'",
        "no command or module named requests_toolbelt",
    ),
    Reading(
        "python a.py",
        '  File "a.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax',
        "SyntaxError: invalid syntax",
    ),
    Reading(
        "python a.py",
        "  File \"a.py\", line 3\n    x\n    ^\nIndentationError: expected an indented block after 'if' statement on line 2",
        "IndentationError",
    ),
    Reading(
        "rm a b",
        "rm: cannot remove 'a_b.py': No such file or directory",
        "rm: cannot remove <name>: No such file or directory",
    ),
    Reading(
        "cp a b",
        "cp: -r not specified; omitting directory 'a'",
        "cp: -r not specified; omitting directory <name>",
    ),
    Reading(
        "ls x",
        "ls: cannot access 'x': No such file or directory",
        "ls: cannot access <name>: No such file or directory",
    ),
    Reading(
        "cat x", "cat: x.txt: No such file or directory", "cat: <name>: No such file or directory"
    ),
    Reading(
        "sed -i 's/a' f",
        "sed: -e expression #1, char 3: unterminated `s' command",
        "sed: -e expression <name>, char <n>: unterminated <name> command",
    ),
    Reading(
        "pip install .",
        "ERROR: Directory '.' is not installable. Neither 'setup.py' nor 'pyproject.toml' found.",
        "ERROR: Directory <name> is not installable. Neither <name> nor <name> found",
    ),
    Reading(
        "poetry install",
        "pyproject.toml changed significantly since poetry.lock was last generated. Run `poetry lock` to fix the lock file.",
        "<name> changed significantly since <name> was last generated. Run <name> to fix the lock file",
    ),
    Reading(
        "alembic upgrade head",
        'sqlalchemy.exc.ProgrammingError: (psycopg2.errors.UndefinedTable) relation "users" does not exist\nLINE 1: SELECT * FROM users',
        "ProgrammingError: (<name>) relation <name> does not exist",
    ),
    Reading(
        "node",
        "Uncaught ReferenceError: foo is not defined",
        "ReferenceError: <name> is not defined",
    ),
    Reading(
        "deno run a.ts",
        'error: Uncaught (in promise) PermissionDenied: Requires net access to "example.com:443", run again with the --allow-net flag',
        "error: Uncaught (in promise) <name>: Requires net access to <name>, run again with the <name> flag",
    ),
    Reading(
        "npm run build",
        "> app@1.0.0 build\n> webpack\n\nsh: 1: webpack: not found\nnpm ERR! code ELIFECYCLE\nnpm ERR! syscall spawn\nnpm ERR! errno ENOENT",
        "no command or module named webpack",
    ),
    Reading(
        "ssh-add",
        "Could not open a connection to your authentication agent.",
        "Could not open a connection to your authentication agent",
    ),
    Reading(
        "./gradlew x",
        "Error: Could not find or load main class org.gradle.wrapper.GradleWrapperMain\nCaused by: java.lang.ClassNotFoundException: org.gradle.wrapper.GradleWrapperMain",
        "Caused by: ClassNotFoundException: <name>",
    ),
    Reading(
        "scala a",
        "java.lang.OutOfMemoryError: Java heap space",
        "OutOfMemoryError: Java heap space",
    ),
    Reading("./a.out", "Segmentation fault (core dumped)", "Segmentation fault"),
    Reading(
        '{"path":"/x"}',
        "PermissionError: [Errno 13] Permission denied: '/etc/hosts'",
        "write_file: PermissionError: [Errno 13] Permission denied: <name>",
        "write_file",
    ),
    Reading(
        '{"url":"http://x"}',
        '{"status": 403, "statusText": "Forbidden", "error": {"errors": [{"domain": "usageLimits", "reason": "dailyLimitExceeded", "message": "Daily Limit Exceeded"}]}}',
        "fetch: Daily Limit Exceeded",
        "fetch",
    ),
    Reading(
        '{"sql":"x"}',
        '{"ok": false, "error": {"type": "SyntaxError", "message": "near \\"FORM\\": syntax error"}}',
        "query: near <name>: syntax error",
        "query",
    ),
    Reading(
        '{"key":"A-1"}',
        '{"errorMessages":["Issue does not exist or you do not have permission to see it."],"errors":{}}',
        "jira: Issue does not exist or you do not have permission to see it",
        "jira",
    ),
    Reading(
        '{"q":"x"}',
        '{"data":null,"errors":[{"message":"Cannot query field \\"foo\\" on type \\"Query\\".","locations":[{"line":1}]}]}',
        "gql: Cannot query field <name> on type <name>",
        "gql",
    ),
    Reading(
        '{"m":1}',
        "Error code: 400 - {'error': {'message': \"Unsupported parameter: 'max_tokens'\", 'type': 'invalid_request_error'}}",
        "openai: Unsupported parameter: <name>",
        "openai",
    ),
    Reading(
        '{"a":1}',
        "1 validation error for Args\nlimit\n  Input should be a valid integer [type=int_type, input_value='x']",
        "tool: limit: Input should be a valid integer",
        "tool",
    ),
    Reading(
        "sqlite3 x.db < a.sql",
        "Parse error near line 4: no such column: total\n  SELECT total FROM a\n         ^--- error here",
        "Parse error near line <n>: no such column <name>",
    ),
    Reading(
        "./run",
        "bash: line 1:  4174 Floating point exception./run",
        "Floating point exception",
    ),
    Reading(
        "./t",
        "test: src/list.c:19: push: Assertion `list->size > 0' failed.\nAborted (core dumped)",
        "AssertionError",
    ),
    Reading(
        "make",
        "cc -Wall -Werror -c a.c\na.c: In function 'main':\na.c:4:9: error: unused variable 'total' [-Werror=unused-variable]\n    4 |     int total;\ncc1: all warnings being treated as errors\nmake: *** [Makefile:2: a.o] Error 1",
        "error: unused variable <name>",
    ),
    Reading(
        "gcc a.c",
        "a.c:6:5: error: implicit declaration of function 'lsit_new'; did you mean 'list_new'? [-Werror=implicit-function-declaration]",
        "error: implicit declaration of function <name>",
    ),
    Reading(
        "gcc a.c",
        "a.c: In function 'main':\na.c:7:10: error: unknown type name 'uint8_t'\n    7 |     uint8_t i;",
        "error: unknown type name <name>",
    ),
    Reading(
        "make -C out all",
        "make: Entering directory '/x/out'\nmake: *** No rule to make target 'all'.  Stop.\nmake: Leaving directory '/x/out'\nthe end",
        "make: *** No rule to make target <name>. Stop",
    ),
    Reading(
        "node a.mjs",
        "node:fs:573\n  handleErrorFromBinding(ctx);\n  ^\n\nTypeError [ERR_INVALID_ARG_TYPE]: The \"path\" argument must be of type string. Received undefined\n    at open (node:fs:573:10)\n    at main (file:///x/a.mjs:2:9) {\n  code: 'ERR_INVALID_ARG_TYPE'\n}\n\nNode.js v20.1.0",
        "TypeError [ERR_INVALID_ARG_TYPE]: The <name> argument must be of type string. Received undefined",
    ),
    Reading(
        "go vet ./...",
        "# example.com/app\n./main.go:9:2: total declared but not used",
        "<name> declared but not used",
    ),
    Reading(
        "go vet ./...",
        "# example.com/app\n./main.go:9:2: declared and not used: total",
        "declared and not used <name>",
    ),
    Reading(
        "ruby test/a_test.rb",
        "<internal:/usr/lib/ruby/core_ext/kernel_require.rb>:85:in `require': cannot load such file -- nokogiri (LoadError)\n\tfrom <internal:/usr/lib/ruby/core_ext/kernel_require.rb>:85:in `require'\n\tfrom test/a_test.rb:2:in `<main>'",
        "no command or module named nokogiri",
    ),
    Reading(
        "bin/deploy",
        "bin/deploy: line 4: TARGET_HOST: parameter null or not set",
        "TARGET_HOST: parameter null or not set",
    ),
    Reading(
        "git push origin master",
        "error: src refspec master does not match any\nerror: failed to push some refs to '/x/a.git'",
        "error: src refspec <name> does not match any",
    ),
    Reading(
        "git rebase --continue",
        "a.md: needs merge\nYou must edit all merge conflicts and then\nmark them as resolved using git add\nend",
        "You must edit all merge conflicts and then",
    ),
    Reading(
        "git log topic",
        "fatal: ambiguous argument 'topic': unknown revision or path not in the working tree.\nUse '--' to separate paths from revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'",
        "fatal: ambiguous argument <name>: unknown revision or path not in the working tree",
    ),
    Reading(
        "bin/links",
        "reading 14 pages\nlinks: a.md is fine\nreading b.md\nlinks: b.md links to c.md which is gone",
        "links: <name> links to <name> which is gone",
    ),
    Reading(
        '{"file_path": "/x/a.h", "old_string": "cannot be found"}',
        "<tool_use_error>String to replace not found in file.\nString: cannot be found</tool_use_error>",
        "Edit: String to replace not found in file",
        "Edit",
    ),
    Reading(
        "psql -f a.sql",
        'CREATE TABLE\npsql:a.sql:4: ERROR:  insert or update on table "loans" violates foreign key constraint "loans_member_id_fkey"\nDETAIL:  Key (member_id)=(99) is not present in table "members".',
        "ERROR: insert or update on table <name> violates foreign key constraint <name>",
    ),
    Reading(
        "go test ./...",
        "APP_ZONE is not set (try APP_ZONE=north)\nFAIL\texample.org/app/internal/book\t0.002s\n?   \texample.org/app/cmd\t[no test files]\nok  \texample.org/app/internal/money\t0.002s\nFAIL",
        "APP_ZONE is not set (try <name>=north)",
    ),
    Reading(
        "go test ./...",
        "--- FAIL: TestLimit (0.00s)\npanic: assignment to entry in nil map [recovered]\n\tpanic: assignment to entry in nil map\n\ngoroutine 7 [running]:\ntesting.tRunner.func1.2({0x5})\n\t/usr/lib/go/src/testing/testing.go:1396 +0x24e\nFAIL\texample.org/x\t0.004s\nFAIL",
        "panic: assignment to entry in nil map [recovered]",
    ),
    Reading(
        "./appd",
        "2026/11/16 16:38:22 listen tcp 127.0.0.1:4620: bind: address already in use",
        "listen tcp <n>: bind: address already in use",
    ),
    Reading(
        "make lint",
        "sh tools/lint.sh\ngofmt: these files need formatting:\ninternal/store/store.go\nmake: *** [Makefile:4: lint] Error 1",
        "gofmt: these files need formatting: <name>",
    ),
    Reading(
        "ruby -Itest a_test.rb",
        'Run options: --seed 123\n\n# Running:\n\nF.\n\nFinished in 0.0s\n\n  1) Failure:\nAlertsTest#test_slow [test/alerts_test.rb:4]:\nExpected: ["/x"]\n  Actual: []\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips',
        "AssertionError in AlertsTest#test_slow",
    ),
    Reading(
        "bundle exec rspec",
        "Could not find gem 'rspec' in locally installed gems.\nRun `bundle install` to install missing gems.",
        "Could not find gem <name> in locally installed gems",
    ),
    Reading(
        "rake test",
        "rake aborted!\nDon't know how to build task 'tests' (See the list of available tasks with `rake --tasks`)\n\n(See full trace by running task with --trace)",
        "Don't know how to build task <name> (See the list of available tasks with <name>)",
    ),
    Reading(
        "shellcheck a.sh",
        "\nIn a.sh line 2:\nfor f in $(ls logs/*.log); do\n         ^------------^ SC2045 (error): Iterating over ls output is fragile. Use globs.\n\nFor more information:\n  https://www.shellcheck.net/wiki/SC2045 -- Iterating over ls output is fragile",
        "SC2045 (error): Iterating over ls output is fragile. Use globs",
    ),
    Reading(
        "./gradlew build",
        "> Task :app:compileJava FAILED\n/x/A.java:5: error: ';' expected\n    int a\n         ^\n1 error\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nExecution failed for task ':app:compileJava'.\n> Compilation failed; see the compiler error output for details.",
        "error: <name> expected",
    ),
    Reading(
        "git commit -m x",
        "On branch main\nnothing to commit, working tree clean",
        "nothing to commit, working tree clean",
    ),
    Reading(
        "npm run build",
        "Command timed out after 2m 0.0s\n> build\n> vite build",
        "npm run build: command timed out",
    ),
    Reading(
        "pytest -q",
        "The command 'pytest -q' was cancelled because it took more than 30 seconds.",
        "pytest: command timed out",
    ),
    Reading(
        "npm test",
        "Command: npm test\nDirectory: (root)\nStdout: (empty)\nStderr: sh: 1: vitest: not found\nError: (none)\nExit Code: 127\nSignal: (none)",
        "no command or module named vitest",
    ),
    Reading(
        '{"edits": []}',
        'Validation failed for tool "change":\n  - edits.1: must not have additional properties\n\nReceived arguments:\n{}',
        "change: Validation failed for tool <name>: must not have additional properties",
        "change",
    ),
)
