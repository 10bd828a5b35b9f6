#!/bin/bash
set -euo pipefail
cd "${1:?WORKSPACE}"
. ./.env.sh

tabgen E:QUL 2031-08
python3 - <<'E'
p = "almlib/markup.py"
s = open(p).read()
s = s.replace('''    headers, blocks, para = {}, [], []
''', '''    headers, blocks, para = {}, [], []
    page = None         # the blocks around, while in a box
''')
s = s.replace('''            if word in HEADERS:
''', '''            if word == "end":
                if page is None:
                    raise MarkupError("line %d: %%end without %%box" % no)
                page.append(("box", (title, blocks)))
                blocks, page = page, None
            elif page is not None:
                raise MarkupError("line %d: %%%s within a box" % (no, word))
            elif word == "box":
                if not rest:
                    raise MarkupError("line %d: %%box wants a title" % no)
                title, page, blocks = rest, blocks, []
            elif word in HEADERS:
''')
s = s.replace('''    flush()
    for h in HEADERS''', '''    flush()
    if page is not None:
        raise MarkupError("no %end to a box")
    for h in HEADERS''')
s = s.replace('''    width = ems * 2
    _, blocks = parse(text)
    out, last = [], None
''', '''    _, blocks = parse(text)
    return set_blocks(blocks, ems * 2)


def set_box(title, blocks, width):
    title = inline(title).replace("\\u00a0", " ")
    if len(title) > width - 8:
        raise MarkupError("title of box too long: %s" % title)
    return (["+" + ("-- %s " % title).ljust(width - 2, "-") + "+"]
            + ["| %s |" % l.ljust(width - 4) for l in set_blocks(blocks, width - 4)]
            + ["+" + "-" * (width - 2) + "+"])


def set_blocks(blocks, width):
    out, last = [], None
''')
s = s.replace('''        elif kind == "rule":
            out.append("* *''', '''        elif kind == "box":
            out += set_box(body[0], body[1], width)
        elif kind == "rule":
            out.append("* *''')
open(p, "w").write(s)
p = "docs/markup.md"
s = open(p).read()
s = s.replace("## Within a line", '''## Boxes

    %box TITLE
    paragraphs and items
    %end

A box is framed over the whole measure, with the title in its upper line. Nothing but paragraphs and
items may stand in it.

## Within a line''')
open(p, "w").write(s)
p = "tests/test_markup.py"
s = open(p).read() + '''
    def test_box(self):
        self.assertEqual(markup.render(H + "one\\n%box *a*~b\\ntext of it\\n\\n- x\\n%end", 8),
                         ["one", "", "+-- A b -------+", "| text of it   |", "|              |",
                          "|   . x        |", "+--------------+"])
        for bad in ("%box\\nx\\n%end", "%end", "%box a\\nx", "%box a\\n%rule\\n%end",
                    "%box abcdefghi\\nx\\n%end"):
            self.assertRaises(markup.MarkupError, markup.render, H + bad, 8)
'''
open(p, "w").write(s)
p = "pages/tides-quayle.pg"
s = open(p).read()
s = s.replace("July 2031", "August 2031").replace("quayle-2031-07\n", '''quayle-2031-08

%box *swing bridge*
The bridge opens from one hour before high water to two hours after it, by day only.

- Three long blasts to ask.
- A red ball at the yard means wait.
- Masts over 18~m wait for the tug.
%end
''')
open(p, "w").write(s)
E
make test lint
python3 -m almlib.folio
galley pages/tides-quayle.pg --ems 36
ALM_READER=JBR proof galleys/tides-quayle.gly
git add -A
git commit -q -m "Boxes in the markup, one for Quayle

Ledger: 87/T"
