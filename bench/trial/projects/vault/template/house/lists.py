"""Writes lists/running-times.txt (make lists)."""
from pathlib import Path

from house import cards, runtime


def main():
    rows = []
    for number in Path("lists/programme.txt").read_text().split():
        card = cards.read(f"catalogue/{number}.card")
        rows.append(f"{number}  {card['title']} ({card['year']})  {card['gauge']} mm  {runtime.minutes(card['lengths'], card['gauge'])} min")
    Path("lists/running-times.txt").write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
