"""What the error itself proposes, once it has worked."""

from __future__ import annotations

from tests.failures.fix_cases import case, shown_by

CASES = (
    case(
        "an extension that the compiler proposes",
        (
            "npm run types",
            "!src/a.ts(1,24): error TS2835: Relative import paths need explicit file extensions."
            " Did you mean './parcel.js'?",
        ),
        ("sed -i \"s#'./parcel'#'./parcel.js'#\" src/a.ts && npm run types", "> tsc"),
        sort="lines",
        says=("Did you mean",),
    ),
    case(
        "a header that a note names",
        (
            "make check",
            "!src/a.c:3:5: error: implicit declaration of function ‘free’\n"
            "src/a.c:3:5: note: include ‘<stdlib.h>’ or provide a declaration of ‘free’",
        ),
        ("sed -i '1i #include <stdlib.h>' src/a.c", ""),
        ("make check", "3 passed"),
        sort="lines",
        says=("Include the header",),
    ),
    case(
        "spaces in a recipe",
        ("make avg", "!Makefile:20: *** missing separator.  Stop."),
        ("sed -i 's/^    $(CC)/\\t$(CC)/' Makefile && make avg", "cc -o avg avg.c"),
        sort="lines",
        says=("tab",),
    ),
    case(
        "a proposal that was not taken",
        (
            "make check",
            "!a.c:6:12: error: implicit declaration of function ‘median’; did you mean ‘mean’?",
        ),
        ("sed -i '2i double median(void);' include/a.h", ""),
        ("make check", "3 passed"),
        sort=None,
    ),
)

test_a_run_shows_its_fix_or_none = shown_by(CASES)
