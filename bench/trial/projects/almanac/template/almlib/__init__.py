"""almlib: the reckoning behind the Harrowmouth Almanac."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def tsv(name):
    """Rows of data/NAME.tsv as dicts; lines that begin with # are left out."""
    rows, head = [], None
    for line in (ROOT / "data" / (name + ".tsv")).read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        if head is None:
            head = cells
        else:
            if len(cells) != len(head):
                raise ValueError("data/%s.tsv: %d cells, want %d: %r"
                                 % (name, len(cells), len(head), line))
            rows.append(dict(zip(head, cells)))
    return rows
