"""Short runs of compilers, package managers and git: a call gets past its failure step by step."""

from __future__ import annotations

from tests.failures.fix_cases import case

NO_HEADER = "!a.c:1:10: fatal error: list.h: No such file or directory\ncompilation terminated."
NO_SCRIPT = '!npm error Missing script: "typecheck"\nnpm error To see a list of scripts, run:'
REJECTED = "!To /x/a.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push"
NO_TICKET = "!commit-msg: the subject needs a ticket such as AB-12"

SHELL = (
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
        "the flag that found the header, not the one that came later",
        ("gcc -o a a.c", NO_HEADER),
        ("gcc -Iinclude -o a a.c", "!/usr/bin/ld: a.c:(.text+0x9): undefined reference to `sqrt'"),
        sort="call",
        says=("`-Iinclude`",),
    ),
    case(
        "another error of the same sort is no progress",
        ("gcc -o a a.c", NO_HEADER),
        ("gcc -Isrc -o a a.c", "!a.c:2:10: fatal error: map.h: No such file or directory"),
        sort=None,
    ),
    case(
        "only the part that explains",
        ("./check.sh", "!bash: line 1: ./check.sh: No such file or directory"),
        ("MODE=all tools/check.sh", "fine"),
        sort="call",
        says=("`tools/check.sh`",),
        never=("Set `MODE",),
    ),
    case(
        "another name for the types",
        ("npm run typecheck", NO_SCRIPT),
        ("npm run", "Scripts available:\n  types\n    tsc --noEmit"),
        ("npm run types", ""),
        sort="call",
        says=("`npm run types`", "instead of `npm run typecheck`"),
    ),
    case(
        "another name for the tests",
        ("make test", "!make: *** No rule to make target 'test'.  Stop."),
        ("make check", "!a.c:3:1: error: expected ';' before '}' token\nmake: *** [a.o] Error 1"),
        sort="call",
        says=("`make check`", "instead of `make test`"),
    ),
    case(
        "another piece of work",
        ("npm run typecheck", NO_SCRIPT),
        ("npm run build", ""),
        sort=None,
    ),
    case(
        "another program for the file",
        ("node src/a.ts", '!TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts"'),
        ("npx tsx src/a.ts", "done"),
        sort="tool",
        says=("`npx tsx`", "instead of `node`"),
    ),
    case(
        "a mark that the error names",
        ('git commit -m "Add a guide"', NO_TICKET),
        ('git commit -m "AB-20 Add a guide"', "[main 1] AB-20 Add a guide"),
        sort="call",
        says=("in the form that the error names",),
        never=("Add a guide", "AB-20"),
    ),
    case(
        "a message is no preparation",
        ('git add -A && git commit -m "Add" && git push', NO_TICKET),
        ('git commit -m "Other words" && git push', "main -> main"),
        sort=None,
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
        "an upstream without the name of the branch",
        ("git push", "!fatal: The current branch ab-20 has no upstream branch."),
        ("git push -u origin ab-20", "branch 'ab-20' set up to track 'origin/ab-20'."),
        sort="call",
        says=("-u origin` and the name that the error shows",),
        never=("ab-20",),
    ),
    case(
        "a branch that is to be new",
        ("git checkout ab-20", "!error: pathspec 'ab-20' did not match any file(s) known to git"),
        ("git checkout -b ab-20", "Switched to a new branch 'ab-20'"),
        sort="call",
        says=("If it is to be new: call `git checkout` with `-b`",),
        never=("ab-20",),
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
    case(
        "a library, shown without the program that was built",
        (
            "gcc -o demo a.c -Lbuild -la && ./demo",
            "!./demo: error while loading shared libraries: liba.so: cannot open",
        ),
        ("LD_LIBRARY_PATH=build ./demo", "fine"),
        sort="call",
        says=("`LD_LIBRARY_PATH=build`",),
        never=("./demo",),
    ),
    case(
        "another query beside another flag",
        (
            'sqlite3 a.db "DELETE FROM people"',
            "!Error: stepping, FOREIGN KEY constraint failed (19)",
        ),
        ('sqlite3 -bail a.db "DELETE FROM loans; DELETE FROM people"', ""),
    ),
    case(
        "a variable that cannot let a script run",
        ("bin/slow.sh log", "!bash: line 1: bin/slow.sh: Permission denied"),
        ("LEAST=100 bash bin/slow.sh log", "ok"),
        sort="call",
        says=("Use `bash bin/slow.sh` instead of `bin/slow.sh`",),
        never=("LEAST",),
    ),
    case(
        "the variable that the error names",
        (
            "timeout 5 ruby serve.rb",
            '!serve.rb:3:in `fetch\': key not found: "PORT_OF_IT" (KeyError)',
        ),
        ("PORT_OF_IT=4711 ruby serve.rb", "ok"),
        sort="call",
        says=("Set `PORT_OF_IT",),
        never=("timeout",),
    ),
    case(
        "a look at a server between two tries",
        ("helm upgrade web ./chart", "!Error: timed out waiting for the condition"),
        ("kubectl get pods", "web-1 Running"),
        ("helm upgrade web ./chart", "STATUS: deployed"),
    ),
    case(
        "another port, where the port was not the trouble",
        ("serve --port 8080", "!Error: no such folder"),
        ("serve --port 8081", "listening"),
    ),
)
