"""Forms of argument values, named by a template (`YYYY-MM-DD`) and never by the value."""

from __future__ import annotations

from hardwon._cold import re

# Dates and times: Y, M, D, H and S each stand for one digit
_TIMES = (
    *("YYYY-MM-DD", "YYYY-MM-DD HH:MM", "YYYY-MM-DD HH:MM:SS", "YYYY-MM-DDTHH:MM"),
    *("YYYY-MM-DDTHH:MM:SS", "HH:MM", "HH:MM:SS", "YYYY-MM", "YYYY/MM/DD", "YYYYMMDD"),
    *("DD.MM.YYYY", "DDMMYYYY"),
)
_OTHERS = (
    (r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)", "as a date and time with its zone"),
    (r"/\S*", "as a path from the root"),
    (r"https?://\S+", "as a whole address"),
    (r"#\S+", "with the `#` before it"),
)
_DIRECTIVES = (
    *(("%Y", "YYYY"), ("%m", "MM"), ("%d", "DD"), ("%H", "HH"), ("%M", "MM"), ("%S", "SS")),
    *(("%F", "YYYY-MM-DD"), ("%T", "HH:MM:SS"), ("%R", "HH:MM")),
)
_TEMPLATE = r"[YMDHST:/. -]{4,30}"


def changed_form(old: str, new: str) -> str:
    """The new form of a value, in words, if the old value lacked it; else ""."""
    for pattern, words in _OTHERS:
        if re.fullmatch(pattern, new) and not re.fullmatch(pattern, old):
            return words
    return ""


def changed_time(old: str, new: str) -> str:
    """The template of a new date or time if the old one was written differently; else ""."""
    template = time_template(new)
    return template if template and template != time_template(old) else ""


def time_template(value: str) -> str:
    """The template of a date or time; "" for any other value."""
    return next((template for template in _TIMES if _has_template(value, template)), "")


def template_of_format(text: str) -> str:
    """The template of a format such as `%Y-%m-%d`; "" if it prints anything but digits."""
    for directive, letters in _DIRECTIVES:
        text = text.replace(directive, letters)
    return text if re.fullmatch(_TEMPLATE, text) else ""


def has_form(value: object, words: str) -> bool:
    """Whether a value has the form that `words` describe, as `changed_form` returns them."""
    if not isinstance(value, str):
        return False
    for pattern, form in _OTHERS:
        if form == words:
            return bool(re.fullmatch(pattern, value))
    template = words.removeprefix("as ")
    return bool(re.fullmatch(_TEMPLATE, template)) and _has_template(value, template)


def _has_template(value: str, template: str) -> bool:
    """Whether a value has the shape of a template, and a month if it is a date."""
    month = value[template.find("MM") :][:2]
    return _blank(template) == _shape(value) and ("DD" not in template or month <= "12")


def _shape(value: str) -> str:
    return str(re.sub(r"\d", "0", value))


def _blank(template: str) -> str:
    return str(re.sub(r"[YMDHS]", "0", template))
