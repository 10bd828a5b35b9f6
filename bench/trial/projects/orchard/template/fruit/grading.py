"""The class of a batch."""
from fruit.sums import mean


def class_of(sheet, samples):
    """A, B or C for samples with firm and brix in tenths."""
    if not samples:
        raise ValueError("no samples")
    firm = mean(s["firm"] for s in samples)
    brix = mean(s["brix"] for s in samples)
    for letter in ("A", "B"):
        if firm >= sheet["firm"][letter] and brix >= sheet["brix"][letter]:
            return letter
    return "C"
