"""What runs show: calls as they were really made, trails past a failure, ways that work here.

    calls    the calls of a step: shell functions and variables are replaced by what they stand for;
             and the words that agents type in every project
    inner    which call of a step an error is about, and which worked
    folding  values of one run become placeholders

    trails   at an error: a failing call and the call that got past it
    between  what was called on the way there
    wording  a trail as a text

    cures    at the start: what got past each failure of a run, what gave its values
    course   the acts of several runs in one order
    opening  what of it is told, as far as it fits

    ways     calls of a project's own programs that worked in earlier runs
    advice   words of people and models: which calls follow them, which errors they are about

Pure functions. Nothing here knows a program, a message or a notation by name.
"""
