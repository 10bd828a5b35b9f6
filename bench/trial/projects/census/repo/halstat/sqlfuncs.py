"""Functions that models can call: name -> (number of arguments, function)."""
from . import disclosure, indices, rounding

FUNCTIONS = {
    "safe": (2, disclosure.safe),
    "flag": (1, disclosure.flag),
    "round_half_up": (2, rounding.round_half_up),
    "index100": (2, indices.index100),
}
