"""Detects advice that fits every failure and so helps with none."""

from __future__ import annotations

import re

# Stems of words that name no file, value, cause or step of a failure.
_EMPTY_WORDS = """
a about again all also always an and any are as at attempt attent avoid be because been before
best better bug but by can care careless case caus chang check clean clos code comprehensiv consider
correct could deep detail did diligen do does don double due each edg effort enough ensur error
every everyth extra fail failur first fix focus follow for from full further future get good had
handl hard has hast have help how i if implement important improv in inattent incorrect insufficien
into is issue it its just keep lack last learn less like logic look main make made me meticulous
mindful mistake more most much must my need never next no not now of on or other our out over pay
paid plan please practic previous problem proper qualit quick re read reason review right root rush
same scenario should slopp so solution solv some someth still such sufficien sure take task test
than that the their them then there these they thing think this thorough thought time to too tr
under understand understood up us use validat verif very vigilan was way we well were what when
where which while will with without work would writ wrong you your
"""
_ENDINGS = "e|es|s|ed|d|ing|y|ies|ied|ying|ly|ful|fully|less|ness|lessness|ion|ions|ive|ation|t|ce"
_IS_EMPTY = re.compile(rf"(?:{'|'.join(_EMPTY_WORDS.split())})(?:{_ENDINGS})?")
# Text that names something of this failure: `quoted`, a_name, a.path, aName, 12, a call().
_NAMED = re.compile(r"(?<!\w)[`“\"'‘]\S|\w_\w|\w[./]\w|[a-z][A-Z]|\d|\w\(")


def is_generic(text: str, *, telling: int = 2) -> bool:
    """Whether fewer than `telling` words of a text belong to this failure: "Be more careful"."""
    if _NAMED.search(text):
        return False
    words = re.findall(r"[a-z]+", text.lower())
    return sum(len(word) > 1 and not _IS_EMPTY.fullmatch(word) for word in set(words)) < telling
