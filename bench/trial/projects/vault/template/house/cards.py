"""Reads the cards; writing is reel's business."""
from pathlib import Path


def read(path):
    card = {"lengths": []}
    for line in Path(path).read_text().splitlines():
        key, _, value = line.partition(": ")
        if key.startswith("can "):
            length = value.split(" | ")[1]
            if length != "-":
                feet, frames = length.split()
                card["lengths"].append((int(feet[:-2]), int(frames[:-2])))
        else:
            card[key] = value
    return card
