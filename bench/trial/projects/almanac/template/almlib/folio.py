"""The folio roll: pages/FOLIOS, a line for each page with sheet, lines and sum."""
import hashlib

from . import ROOT, markup


def roll():
    out = []
    for path in sorted((ROOT / "pages").glob("*.pg")):
        text = path.read_text()
        headers, _ = markup.parse(text)
        out.append("%s\t%s\t%d\t%s\n" % (path.stem, headers["sheet"], len(text.splitlines()),
                                        hashlib.sha1(text.encode()).hexdigest()[:10]))
    return "".join(out)


if __name__ == "__main__":
    (ROOT / "pages" / "FOLIOS").write_text(roll())
