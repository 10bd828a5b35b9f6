"""What a failed call tells: whether it failed, what went wrong, its name, its fix. Pure functions.

A step passes through these files in this order:

    did it fail?          verdict          calls whose caller does not say so
                            bodies         errors in JSON and XML, and their message
                            reports        what test runners and builds print
    what went wrong?      error_line       the line of the output that says it
    what is its name?     reading          builds the Failure: exact digest, kind, line
                            signature      the exact name
    is it a mistake?      mistakes         or an answer that the agent wanted
    which call was it?    call_keys        calls in one form, and the keys of a call
                            shell          command lines, parsed
                            authored       files that the run itself wrote
    is it a loop?         loops            the same call, the same failure, no change
    what fixed it?        fixes            trails, changed lines, tests that fail without a change
                            changed_lines  lines that made a script of the run work
    the lesson            mined_lesson     made and updated by rules

Before the next call: guards (calls that a person has forbidden).
"""
