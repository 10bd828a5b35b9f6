"""Labels of quarters as they are printed, e.g. 2025-Q3."""
import re


def parse(label):
    m = re.fullmatch(r"(\d{4})-Q([1-4])", label)
    if not m:
        raise ValueError(f"not a quarter: {label}")
    return int(m[1]), int(m[2])


def shift(label, quarters):
    y, q = parse(label)
    k = y * 4 + q - 1 + quarters
    return f"{k // 4}-Q{k % 4 + 1}"
