"""What runs show: calls as they were really made, trails past a failure, ways that work here.

    calls    the calls of a step: shell functions and variables are replaced by what they stand for;
             and the words that agents type in every project
    folding  values of one run become placeholders
    trails   a failing call and the call that got past it
    between  what was called on the way there
    advice   words of people and models: which calls follow them, which errors they are about
    ways     calls of a project's own programs that worked in earlier runs

Pure functions. Nothing here knows a program, a message or a notation by name.
"""
