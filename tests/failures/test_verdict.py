"""Whether a call has failed is seen in what it gave back, where nobody says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardwon.core.values.run import Step
from hardwon.knowledge.reading.verdict import has_failed
from tests.effort import NEVER_QUADRATIC, cpu_seconds

TRACEBACK = (
    'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    f()\nKeyError: 1'
)

FAILED_RESULTS = [
    "Error: user not found",
    "Error executing tool get_item: 2 validation errors for Args",
    "Error: 429 Too Many Requests",
    "Error code: 400 - {'error': {'message': 'no'}}",
    "Failed to retrieve item: 'X' object has no attribute 'y'",
    "ToolException: cannot reach host",
    "ValueError: bad date",
    "java.io.IOException: closed",
    "<tool_use_error>String to replace not found in file.</tool_use_error>",
    "<error>no such document</error>",
    "MCP error -32602: Invalid params",
    "HTTP 404 Not Found",
    "404 Client Error: Not Found for url: http://x",
    "2 validation errors for Args\nid\n  Field required",
    "1 validation error for Args\nlimit\n  Input should be a valid integer\n\nFix the errors and try again.",
    "Traceback (most recent call last):\n  File \"x\", line 1, in f\nKeyError: 'a'",
    "Permission denied",
    "An unexpected error occurred while talking to the server",
    "Lookup of item 3 failed: malformed node",
    '{"error": "not found"}',
    '{"error": {"code": 404, "message": "gone"}}',
    '{"isError": true, "content": [{"type": "text", "text": "no"}]}',
    '{"success": false, "message": "no"}',
    '{"ok": false, "error": "channel_not_found"}',
    '{"status": 500, "message": "oops"}',
    '{"statusCode": 403, "body": "x"}',
    '{"status": "error", "message": "no"}',
    '{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}',
    '{"data": null, "errors": [{"message": "Cannot query field"}]}',
    '{"exit_code": 2, "stdout": ""}',
    "{'success': False, 'reason': 'card_declined'}",
    "{'error': 'no such user'}",
    '{"detail": [{"loc": ["body", "age"], "msg": "Field required", "type": "missing"}]}',
    '{"detail": "Not found."}',
    '{"message": "Bad credentials", "documentation_url": "https://docs.example/rest"}',
    '{"code": 5, "message": "no such topic", "details": []}',
    '{"__type": "com.example.v1#ConditionalCheckFailedException", "message": "The request failed"}',
    '{"code": "PERMISSION_DENIED", "message": "The caller may not do this"}',
    '{"content": [{"type": "text", "text": "Error: the file is not there"}]}',
    '[{"type": "text", "text": "Error executing tool add: no such list"}]',
    '{"content": [{"type": "text", "text": "{\\"error\\": \\"quota\\"}"}]}',
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>',
    '<ErrorResponse xmlns="https://iam.example/doc/"><Error><Code>DeleteConflict</Code></Error></ErrorResponse>',
    "<Response><Errors><Error><Code>InvalidGroup.NotFound</Code></Error></Errors></Response>",
    '<soap:Envelope xmlns:soap="http://x"><soap:Body><soap:Fault><faultcode>soap:Client</faultcode></soap:Fault></soap:Body></soap:Envelope>',
    "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
    "### Error\nError: Ref e12 not found in the current page snapshot.",
    "### Result\nTimeoutError: locator.click: Timeout 5000ms exceeded.",
    "You can't go that way.",
    "You must be holding the lamp to light it.",
    "Nothing happens.",
    "Invalid action: no place is called attic",
    'Validation failed for tool "edit":\n  - edits.1: must not have additional properties',
]
WORKING_RESULTS = [
    "",
    "ok",
    "Error handling in Go is explicit.",
    "Errors and exceptions: a guide",
    "The build failed yesterday, says the log.\nIt is green now.",
    '{"error": null, "result": 3}',
    '{"errors": [], "data": {"id": 1}}',
    '{"id": 7, "status": "failed", "name": "nightly"}',
    '{"id": 7, "error": "exit 1", "started": 1, "ended": 2, "name": "nightly"}',
    '{"status": "ok", "code": 0}',
    '{"success": true, "error_rate": 0.5}',
    '{"status": 200, "message": "fine"}',
    '[{"error": "old entry"}]',
    '{"exit_code": 0, "stderr": "warning: x"}',
    "def f():\n    raise ValueError('Error: no')",
    "Found 3 results for 'TypeError: x is not a function'",
    "12:00 ERROR db down\n12:01 INFO db up",
    '{"isError": false, "content": []}',
    '{"isError": false, "content": [{"type": "text", "text": "Error: 500 is the title of the ticket"}]}',
    '{"message": "Created", "code": "ok"}',
    '{"message": "Invalid entries were removed", "removed": 3}',
    '{"code": 3, "message": "third floor"}',
    '[{"type": "text", "text": "3 tickets: Error 500 at checkout, …"}]',
    "<ListBucketResult><Name>logs</Name><Contents><Key>error.txt</Key></Contents></ListBucketResult>",
    "<html><head><title>Status codes</title></head><body><p>404 Not Found</p></body></html>",
    "### Result\n[ERROR] Failed to load resource: the server responded with a status of 404",
    "### Errors in Go\nErrors are values.",
    "You have no unread messages.",
    "There is no meeting today.",
]
FAILED_COMMANDS = [
    ("python a.py", TRACEBACK),
    ("python a.py", "start\n" + TRACEBACK + "\n"),
    ("python -c 'x'", '  File "<string>", line 1\n    x x\n      ^\nSyntaxError: invalid syntax'),
    ("python a.py", "python: can't open file 'a.py': [Errno 2] No such file or directory"),
    ("python -m pytest", "/usr/bin/python3: No module named pytest"),
    ("pytest -q", "F\n=== 1 failed, 2 passed in 0.1s ==="),
    ("pytest -q", "1 failed, 2 passed in 0.10s"),
    ("python -m unittest", "Ran 2 tests in 0.1s\n\nFAILED (errors=1)"),
    ("go test ./...", "--- FAIL: TestA (0.00s)\nFAIL\tx\t0.1s"),
    ("cargo test", "test result: FAILED. 1 passed; 1 failed"),
    ("npx jest", "Tests:       1 failed, 2 passed, 3 total"),
    ("npx mocha", "  2 passing\n  1 failing"),
    ("mvn test", "[INFO] BUILD FAILURE"),
    ("make", "a.c:1:2: error: x\nmake: *** [Makefile:3: a.o] Error 1"),
    ("gcc a.c", "a.c:1:2: error: 'x' undeclared"),
    ("cargo build", "error[E0425]: cannot find value `x` in this scope"),
    (
        "git push",
        "To x\n ! [rejected] main -> main (fetch first)\nerror: failed to push some refs to 'x'",
    ),
    ("git checkout x", "error: pathspec 'x' did not match any file(s) known to git"),
    ("git status", "fatal: not a git repository (or any of the parent directories): .git"),
    ("terraform plan", "╷\n│ Error: Missing required argument\n╵"),
    ("kubectl get pods", "Error from server (Forbidden): pods is forbidden\nerror: x"),
    ("npm test", 'npm ERR! Missing script: "test"'),
    ("npm run build", "Command timed out after 2m 0.0s"),
    ("pytest", "tests/test_a.py ..\n\nCommand timed out after 120 seconds"),
    ("make", "Command timed out after 120 seconds\ncc -c a.c\ncc -c b.c"),
    ("pytest", "EXECUTION TIMED OUT because it exceeded 30 seconds."),
    ("pytest -q", '{"output": "bye\\n", "metadata": {"exit_code": 1, "duration_seconds": 0.1}}'),
    ("rm a.txt", "rm: cannot remove 'a.txt': No such file or directory"),
    ("cat a.txt", "cat: a.txt: No such file or directory"),
    ("ls nowhere", "ls: cannot access 'nowhere': No such file or directory"),
    ("sed -i 's/a' f", "sed: -e expression #1, char 3: unterminated `s' command"),
    ("foo --bar", "bash: line 1: foo: command not found"),
    ("./x", "bash: line 1: ./x: Permission denied"),
    ("mytool --bad", "usage: mytool [-h]\nmytool: error: unrecognized arguments: --bad"),
    ("python -m pytest tests/a.py", "/usr/bin/python3: No module named 'pytest'"),
    (
        "python -m app",
        'Traceback (most recent call last):\n  File "<frozen runpy>", line 198, in _run_module_as_main\n  File "/app/x.py", line 2, in <module>\n    f()\nOSError: full',
    ),
    ("python a.py", TRACEBACK + "\n11 items"),
    (
        "ls nowhere src",
        "ls: cannot access 'nowhere': No such file or directory\n" + "src/file.py\n" * 2000,
    ),
    (
        "ls src nowhere",
        "src/file.py\n" * 2000 + "ls: cannot access 'nowhere': No such file or directory",
    ),
    (
        "mytool sub --bad",
        "usage: mytool sub [-h]\nmytool sub: error: unrecognized arguments: --bad",
    ),
    (
        "npx vitest run",
        " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 9 passed (10)",
    ),
    (
        "npm run lint",
        "/x/a.ts\n  3:7  error  'a' is never reassigned  prefer-const\n\n✖ 1 problem (1 error, 0 warnings)",
    ),
    (
        "npm run types",
        "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    ),
    ("npx tsc", "src/a.ts:3:7 - error TS2322: Type 'string' is not assignable to type 'number'."),
    (
        "node a.mjs",
        "file:///x/a.mjs:1\nReferenceError: b is not defined\n    at file:///x/a.mjs:1:1\n\nNode.js v20.1.0",
    ),
    ("go build ./...", '# example.com/app\n./main.go:4:2: "os" imported and not used'),
    ("php a.php", "PHP Fatal error:  Uncaught TypeError: f(): Argument #1 must be of type array"),
    ("ruby a.rb", "a.rb:3:in `<main>': undefined method `map' for nil:NilClass (NoMethodError)"),
    (
        "ruby a.rb",
        "<internal:/usr/lib/ruby/x.rb>:8:in `require': cannot load such file -- b (LoadError)\n"
        "\tfrom a.rb:2:in `<main>'",
    ),
    ("java -jar a.jar", 'Exception in thread "main" java.lang.IllegalStateException: closed'),
    ("sqlite3 a.db < a.sql", "Parse error near line 3: no such table: loans"),
    ("psql -f a.sql", 'CREATE TABLE\npsql:a.sql:4: ERROR:  relation "loans" does not exist'),
    ("mysql -e x", "ERROR 1146 (42S02) at line 1: Table 'a.b' doesn't exist"),
    ("jq .a f", 'jq: error (at f:1): Cannot index array with string "a"'),
    ("curl -sS x", "curl: (7) Failed to connect to 127.0.0.1 port 4713 after 0 ms"),
    ("git merge x", "CONFLICT (content): Merge conflict in a.md\nAutomatic merge failed"),
    (
        "npx jest",
        "FAIL a.test.ts\n  \u25cf Test suite failed to run\n\n    Cannot find module './b'",
    ),
    ("aws s3api list-buckets", "Error when retrieving token from sso: Token has expired"),
    ("kubectl get pods", 'Error from server (NotFound): pods "web" not found'),
    ("go build ./...", "api/main.go:5:2: missing go.sum entry for module providing package x"),
    ("dotnet build", "/src/A/A.csproj : error NU1101: Unable to find package B.\n\nBuild FAILED."),
    ("Rscript a.R", "Error in library(zoo) : there is no package called 'zoo'\nExecution halted"),
    ("", TRACEBACK),
    ("", "usage: x [-h]\nx y: error: bad"),
    ("anything", "Exit code 1\nsome output"),
    ("anything", "some output\n[The command completed with exit code 2.]"),
    ("anything", "Exit code: 127\nWall time: 0.1 s"),
    ("anything", "<returncode>3</returncode>\n<output>x</output>"),
    ("anything", "Process exited with code 1"),
]
WORKING_COMMANDS = [
    ("pytest -q", '{"output": "1 failed once", "metadata": {"exit_code": 0}}'),
    ("bin/load", "3 calls\nCommand timed out after 2 s was printed by a peer\nall answered"),
    ("cat app.log", TRACEBACK),
    ("grep -rn Error .", "a.py:3: raise ValueError('Error: x')\nb.py:1: error: x"),
    ("git diff", "-Error: x\n+fatal: y\nTraceback (most recent call last):"),
    ("git log -3", "commit 1\n    Fix error: x\n\nFAILED (errors=1)"),
    ("sed -n 1,9p tests/a.py", "def test():\n    assert False\nFAILED (failures=1)"),
    ("docker logs web", "ERROR: boom\n" + TRACEBACK),
    ("pytest | tail -3", "=== 1 failed in 0.1s ==="),
    ("pytest -q", "=== 3 passed, 1 xfailed in 0.1s ==="),
    ("python -m unittest", TRACEBACK + "\n\nRan 3 tests\n\nOK"),
    ("python a.py", TRACEBACK + "\nCaught as expected"),
    ("python a.py", "Error: x\nthat was printed on purpose"),
    ("python a.py", TRACEBACK.replace("KeyError: 1", "OSError: disk is full") + "\nthen: disk is full"),
    ("python a.py", 'Traceback (most recent call last):\n  File "a.py", line 3, in main\n    f()\nKeyError: 1'),
    ("python a.py", "usage: manage.py x [-h]\nmanage.py x: error: bad"),
    ("cat a.txt", "cat: a small animal\n"),
    ("", "all is well"),
    ("make || true", "make: *** [all] Error 1"),
    ("rm a; ls", "rm: cannot remove 'a': No such file or directory\nb"),
    ("grep -r x .", "Binary file ./a.pyc matches\ngrep: ./b.pyc: binary file matches"),
    ("anything", "Exit code 0\nError: only shown"),
    ("anything", "<returncode>0</returncode>\n<output>FAILED (errors=1)</output>"),
    ("npm test", "Tests:       0 failed, 2 passed, 2 total"),
    ("git status", "On branch main\nnothing to commit, working tree clean"),
    ("git status && git branch -a", "On branch main\nnothing to commit, working tree clean\n* main"),
    ("aws s3 cp a b", "upload: a to b\nYou must keep the receipt.\nc\nd"),
    ("cat rules.txt", "You must wear a helmet."),
    ("bin/quiz", "one\ntwo\nthree\nError handling was asked for"),
    ("npx vitest run", " Test Files  3 passed (3)\n      Tests  10 passed (10)"),
    ("npm run lint", "/x/a.ts\n  3:7  warning  'a' is defined but never used\n\n✖ 1 problem (0 errors, 1 warning)"),
    ("cat a.log", "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'."),
    ("node a.mjs", "running on\nNode.js v20.1.0\nall is well"),
    ("ruff check", "All checks passed!"),
    ("gcc a.c", "a.c:1:2: warning: unused variable 'error'"),
]  # fmt: skip


@pytest.mark.parametrize("output", FAILED_RESULTS)
def test_a_result_that_is_an_error_is_a_failure(output: str) -> None:
    assert has_failed("lookup", output, '{"id": 1}')


@pytest.mark.parametrize("output", WORKING_RESULTS)
def test_a_result_that_only_speaks_of_errors_is_none(output: str) -> None:
    assert not has_failed("lookup", output, '{"id": 1}')


@pytest.mark.parametrize(("command", "output"), FAILED_COMMANDS)
def test_a_command_that_says_so_has_failed(command: str, output: str) -> None:
    assert has_failed("bash", output, command)


@pytest.mark.parametrize(("command", "output"), WORKING_COMMANDS)
def test_what_a_command_shows_or_handles_is_no_failure(command: str, output: str) -> None:
    assert not has_failed("bash", output, command)


@pytest.mark.parametrize("output", [ValueError("x"), {"isError": True}, {"error": "no"}])
def test_a_value_is_judged_as_it_came(output: object) -> None:
    assert has_failed("lookup", output)


@pytest.mark.parametrize("output", [None, 3, {"error": None}, ["error"], b"ok"])
def test_a_harmless_value_is_no_failure(output: object) -> None:
    assert not has_failed("lookup", output)


CATCHES = "cat <<'EOF' > a.py\nimport traceback\ntry:\n    f()\nexcept Exception:\n    traceback.print_exc()\nEOF"
BLANK = CATCHES.replace("try:\n", "try:\n    g()\n\n")
OUTSIDE = "cat <<'EOF' > a.py\nimport traceback\nf()\ntry:\n    g()\nexcept Exception:\n    traceback.print_exc()\nEOF"


@pytest.mark.parametrize(("script", "verdict"), [(CATCHES, False), (BLANK, False), (OUTSIDE, True)])
def test_a_script_that_prints_what_it_caught_has_not_failed(script: str, verdict: bool) -> None:
    assert has_failed("bash", TRACEBACK, "python a.py", [Step("bash", script)]) is verdict


def test_a_shell_is_known_by_its_name_where_the_call_is_unknown() -> None:
    assert has_failed("run_shell_command", "x\nProcess exited with code 1")
    assert not has_failed("read_notes", "x\nProcess exited with code 1")


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_output_can_be_judged(output: str, args: str) -> None:
    assert has_failed("bash", output, args) in (True, False)
    assert has_failed("lookup", output) in (True, False)


@pytest.mark.parametrize(
    "piece", ["a", "=", "= ", "1 ", "a ", "a.", "\n", "a: ", "Traceback (most recent call last):\n", '  File "x", line 1\n', "{", '{"a":', "a/", "error: ", "1 failed, ", " "]
)  # fmt: skip
@pytest.mark.parametrize("args", ["python a.py", '{"a": 1}', "make"])
def test_time_grows_with_the_output_and_no_faster(piece: str, args: str) -> None:
    text = (piece * 50_000)[:50_000]
    has_failed("bash", piece, args)

    assert cpu_seconds(has_failed, "bash", text, args) < NEVER_QUADRATIC


def test_a_tool_that_runs_tests_has_failed_when_tests_have() -> None:
    red, green = "=== 1 failed, 3 passed in 0.1s ===", "=== 4 passed in 0.1s ==="

    assert has_failed("run_tests", red, '{"path": "tests"}')
    assert has_failed("runTests", red, '{"path": "tests"}')
    assert not has_failed("run_tests", green, '{"path": "tests"}')
    assert not has_failed("fetch_latest", red, '{"path": "log"}')


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("You cannot open it", True),
        (f"You cannot open it{'.' * 282}", True),
        (f"You cannot open it{'.' * 283}", False),
        ("You cannot open it\nThe door is green", False),
    ],
    ids=["a line", "300 characters", "301 characters", "two lines"],
)
def test_a_refusal_in_words_is_one_short_line(output: str, failed: bool) -> None:
    assert has_failed("open", output, '{"door": "north"}') is failed


@pytest.mark.parametrize(("tool", "call"), [("search", '{"q": "x"}'), ("bash", "make x")])
def test_a_result_that_begins_with_the_published_mark_has_failed(tool: str, call: str) -> None:
    assert has_failed(tool, "ERR: upstream said no", call)
    assert not has_failed(tool, "0 ERR: upstream said no", call)
