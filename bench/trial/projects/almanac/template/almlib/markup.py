"""Page markup: parse and set.  docs/markup.md is the description."""
import re
import textwrap

from . import ROOT


class MarkupError(Exception):
    pass


HEADERS = ("page", "sheet", "section")


def parse(text):
    """Split a page into (headers, blocks); a block is (kind, payload)."""
    headers, blocks, para = {}, [], []

    def flush():
        if para:
            blocks.append((para[0], " ".join(para[1:])))
            para.clear()

    for no, line in enumerate(text.splitlines(), 1):
        line = line.rstrip()
        if line.startswith("//"):
            continue
        if not line:
            flush()
            continue
        if line.startswith("%"):
            flush()
            word, _, rest = line[1:].partition(" ")
            rest = rest.strip()
            if word in HEADERS:
                headers[word] = rest
            elif word in ("head", "sub", "table"):
                if not rest:
                    raise MarkupError("line %d: %%%s wants a text" % (no, word))
                blocks.append((word, rest))
            elif word == "rule":
                blocks.append(("rule", ""))
            elif word == "note":
                para.append("note")
                if rest:
                    para.append(rest)
            else:
                raise MarkupError("line %d: no directive %%%s" % (no, word))
        elif line.startswith("- "):
            flush()
            para.extend(["item", line[2:].strip()])
        else:
            if not para:
                para.append("para")
            para.append(line.strip())
    flush()
    for h in HEADERS:
        if not headers.get(h):
            raise MarkupError("no %%%s line" % h)
    return headers, blocks


def inline(text):
    """*word* becomes WORD, ~ a space that does not break."""
    text = re.sub(r"\*([^*]+)\*", lambda m: m[1].upper(), text)
    return text.replace("~", "\u00a0")


def fill(text, width, first="", rest=""):
    """Wrap a text to lines of a width."""
    lines = textwrap.wrap(inline(text), width, initial_indent=first, subsequent_indent=rest,
                          break_long_words=False, break_on_hyphens=False)
    return [l.replace("\u00a0", " ") for l in lines]


def table_lines(name):
    path = ROOT / "tables" / (name + ".tab")
    if not path.exists():
        raise MarkupError("no table %s" % name)
    return [l for l in path.read_text().splitlines() if l and not l.startswith(";")]


def render(text, ems):
    """Set a page to a measure of so many ems (two characters each): list of lines."""
    width = ems * 2
    _, blocks = parse(text)
    out, last = [], None
    for kind, body in blocks:
        if out and not (kind == last == "item"):
            out.append("")
        if kind == "head":
            out.append(inline(body).upper().center(width).rstrip())
        elif kind == "sub":
            out += [inline(body), "-" * len(body)]
        elif kind == "rule":
            out.append("* * *".center(width).rstrip())
        elif kind == "table":
            out += table_lines(body)
        elif kind == "note":
            out += fill(body, width, "    N.B. ", "    ")
        elif kind == "item":
            out += fill(body, width, "  . ", "    ")
        else:
            out += fill(body, width)
        last = kind
    return out
