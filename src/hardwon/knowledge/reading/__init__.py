"""What a failed call tells: whether it failed, what went wrong, its name, its fix. Pure functions.

A step passes through these files in this order:

    1  did it fail?             verdict, which asks
                                  body_verdict       JSON and XML results
                                  command_verdict    command lines
                                  file_refusals      tools that read and edit files
                                  timeouts           commands that a harness stopped
    2  what went wrong?         error_line           the line of the output that says it
                                  bodies             the message inside a JSON or XML body
                                  harness            lines that an agent's harness adds
                                  outer_errors       lines that name no cause, as `exit code 1`
                                  reports            what test runners and builds print
    3  what is its name?        reading              builds the Failure: exact digest, kind, line
                                  signature          the exact name
                                  step_kind, kind    the kind, without names of one run
                                  own_names          names that the run or its project invented
                                  rate_limits        a service that is limited or not ready
    4  is it a mistake?         mistakes             or an answer that the agent wanted
                                episode_failure      which failure a whole run is remembered by
    5  which call was it?       call_keys            keys by which similar calls are found
                                operations           a tool that takes an action is several tools
                                shell, programs      command lines, parsed
                                authored             files that the run itself wrote
    6  is it a loop?            loops                the same call, the same failure, no change
    7  what fixed it?           fixes                trails, changed lines, unchanged tests
                                  changed_lines      lines that made a script of the run work
                                  unchanged          tests that fail without the run's change, too
    8  the lesson               mined_lesson         made and updated by rules
                                  situation          when it holds
                                  lesson_text        its words and its status

Before the next call:

    guards                        calls that a person has forbidden
    clues                         what the text of a lesson is about, where no run produced it
"""
