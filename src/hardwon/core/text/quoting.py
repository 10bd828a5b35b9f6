"""The part of a tool's output that may be repeated to a model: a known error, never prose.

Anybody may have written that output. A line is quoted only if it has the form of an error (an
exception, a diagnostic, an exit status, the text of an errno) and only states a fact: it gives no
order, addresses nobody, and has few words that are unusual in errors. What a called program says in
its own name may have other words, if it is short and has the form of a statement.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hardwon.core.text.clean import clip, one_line
from hardwon.core.text.injection import suspicion
from hardwon.core.text.injection_patterns import ADDRESSING

if TYPE_CHECKING:
    from collections.abc import Collection

LIMIT = 160  # characters of a quote
_READ = 600
# Unusual words allowed in a clause: with a word that says what is wrong, and without
_UNUSUAL, _UNTOLD = 5, 1
_NAME_WORDS = 3  # a quoted name has at most this many words
_NAME = 80
_SHORT, _FEW = 8, 2  # words of a fact without a head, and of one that may lack a telling word

# The prefix of an error: the programs, files and lines that report it.
_PLACE = r"[\w./\\<>@+~-]{1,120}(?::(?:\d{1,7}|<n>)){1,2}:? "
_REPORTER = r"(?:\$ |> |E {1,7}|\[\w{1,10}\] )?[\w./@<>+~-]{1,80}(?: [\w<>.-]{1,40}){0,2}: "
_MOST_REPORTERS = 5
_REPORTERS = rf"(?:{_PLACE}|{_REPORTER}){{0,{_MOST_REPORTERS}}}"
_CLASS = (
    r"(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z][\w<>]{0,60}(?:Error|Exception|Warning|Failure|Failed|Fault"
    r"|Interrupt|Exit|Timeout|Refused|Denied|NotFound|Exist|Configured|Exceeded|Invalid)"
    r"|(?:[A-Za-z_]\w{0,60}\.){1,8}[A-Z][a-z]\w{0,60}"
)
_CODE = (
    r"(?:error|warning)(?: ?\[?[A-Z]{1,6}-?\d{2,6}\]?)|[A-Z]{1,4}\d{3,4}|npm ERR! code E\w{2,20}"
)
_LABEL = (
    r"(?:\w{1,20} )?(?:fatal|fatal error|error|Error|ERROR|panic|FAILED|FATAL|failure|Failure|ERR!"
    r"|exception|Exception|warning|Warning|WARNING)"
)
_LABELLED = rf"(?:{_LABEL})(?::|$)"
_EXCEPTION = (
    rf"(?:{_REPORTERS}?|E {{1,7}})(?P<head>(?:{_CLASS})(?: \[ERR_\w{{2,60}}\])?)"
    r"(?:: (?P<message>.{1,500}))?$"
)
_DIAGNOSTIC = rf"(?P<head>{_REPORTERS}?(?:{_CODE}|{_LABEL}))(?P<gap>: ?| )(?P<message>.{{1,500}})$"
_STATED = tuple(  # "tool: no funds: 3" may state "3", "no funds: 3", or the whole
    rf"(?P<head>(?:{_PLACE}|{_REPORTER}){{{count}}})(?P<message>.{{1,500}})$"
    for count in range(_MOST_REPORTERS, -1, -1)
)

# Texts of errno, shells and exit statuses: only these words are repeated.
_FIXED = (
    r"(?:\[?Errno (?:\d{1,3}|<n>)\]? )?\b(?:No such file or directory|Permission denied|File exists"
    r"|Is a directory|Not a directory|Directory not empty|command not found|Connection refused"
    r"|Connection reset by peer|Connection timed out|Operation not permitted|Operation timed out"
    r"|Operation not supported|No space left on device|Read-only file system|Broken pipe"
    r"|Too many open files|Argument list too long|Cannot allocate memory|Address already in use"
    r"|Network is unreachable|Host is unreachable|No route to host|Invalid argument"
    r"|Bad file descriptor|Text file busy|Device or resource busy|Resource temporarily unavailable"
    r"|File name too long|Input/output error|Exec format error|Invalid cross-device link"
    r"|Name or service not known|Temporary failure in name resolution|syntax error near unexpected"
    r" token|unbound variable|event not found|bad substitution|ambiguous redirect|binary file"
    r" matches|Unmatched \[)|while loading shared libraries|Terminal is dumb, but EDITOR unset"
    r"|local changes to the following files would be overwritten by (?:checkout|merge)"
    r"|Need to specify how to reconcile divergent branches"
    r"|\*\*\* \[[\w./:<> -]{1,80}\] Error (?:\d{1,3}|<n>)"
    r"|\b(?i:(?:exit|return|returned|status|exited with)(?: ?(?:code|status|non-zero exit status))?"
    r"[ :=]{1,3}-?(?:\d{1,4}|<n>)|segmentation fault|bus error|core dumped|aborted|terminated"
    r"|floating point exception|illegal instruction"
    r"|killed|timed out(?: after [\d.<>ns]{1,8} ?\w{0,12})?|DID NOT RAISE)\b"
    r"|(?i:(?:HTTP(?:/\d\.\d)? ?|status(?: code)?[ :=]{1,3})[1-5]\d\d\b)"
    r"(?: [A-Z][A-Za-z]{2,20}){0,3}"
)
_REFUSED_PUSH = (  # quoted whole: a part would not say why
    r"\[(?:remote )?rejected\] [\w./<>-]{1,80} -> [\w./<>-]{1,80} \((?:fetch first|already exists"
    r"|non-fast-forward|stale info|needs force|(?:pre-receive|protected branch) hook declined)\)"
)
_QUOTED = (  # the apostrophes of "doesn't" and "isn't" quote nothing
    r"(?<!\w)'[^'\n]{0,300}'(?!\w)|\"[^\"\n]{0,300}\"|`[^`\n]{0,300}`|“[^”\n]{0,300}”"
    r"|‘[^’\n]{0,300}’"
)
_SENTENCE_END = r"[.!?;](?=\s)|\s(?:--|—|–|//|#|=>|->|\|)\s|\\n|\\r"
_CLAUSE = r"[^,:;]{1,400}[,:;]*\s*"
_WORD = r"(?<![\w<./\\@$%-])[^\W\d_]{1,40}(?:['’][a-z]{1,2})?(?![\w>/\\@=(-]|\.\w)"
_STATE = (  # "order <name> is SHIPPED"
    r"\b(?:is|was|are|in (?:status|state)) (?:OPEN|PAID|SENT|SHIPPED|SAILED|DELIVERED|DECLARED"
    r"|RECEIVED|SUBMITTED|APPROVED|POSTED|BOOKED|SOLD|DIRTY|CLEAN|ACTIVE|DONE|VOID)\b"
)
_ILLEGAL = (  # in errors it means "invalid"
    r"(?i:\billegal(?= (?:option|argument|character|value|state|operation|start|token|byte)))"
)
# A short fact of a called program: plain words, none of which is a name or a value
_SPOKEN = (
    r"(?:[A-Z]{1,4}\d{2,4} )?(?P<who>[\w./<>-]{2,60}): (?:(?:error|fatal|warning): )?"
    r"(?P<place>(?:[\w./<>-]{2,60}: |\([\w.-]{2,30}\) ){0,2})(?P<fact>[^:;]{3,80})"
)
_PLAIN_FACT = r"(?:[a-z']+(?:\(s\))?|<\w{1,8}>|\d{1,4}|[a-z]+-[a-z]+|--?[a-z-]{1,20})"
_LINKED = r"\S+ (?:\S+ ){0,3}?(?:is|are|was|were|has|have|had|wants?|expects|belongs|uses)(?: |$)"
_COUNTED = r"(?:<\w{1,8}>|\d{1,4}|[a-z]+ing) "
_FACT_WORDS, _ASKED, _FLAW = 8, 5, 3  # of a statement, a question, and a flaw at a place
_USAGE = r"(?i:usage): (?P<who>[\w./-]{2,60})(?P<rest>(?: [][\w<>{}|=,./-]+(?:\.\.\.)?){0,14})"
_OUTSIDE = (
    r"[^\x00-\x7f“”‘’…]|https?://|www\.|\S@[^\s@]{1,200}\.\w|<\||\|>|\$\(|&&|\|\||\s>>|\{[{%]"
)

# Every statement that says what is wrong has one of these words.
_TELLING_WORDS = (
    "no not cannot can't couldn't didn't doesn't isn't wasn't hasn't won't haven't aren't"
    " failed fails failure failing error errors invalid missing unknown unexpected expected"
    " undefined unable denied refused rejected unauthorized unrecognized unsupported"
    " unresolved unterminated unmatched unclosed unbalanced unhandled uncaught mismatch"
    " mismatched must should required requires duplicate duplicated exists already exceeded"
    " exceeds overflow deadlock conflict conflicts conflicting timeout timed expired aborted"
    " interrupted closed unavailable unreachable ambiguous circular corrupt corrupted malformed"
    " incompatible inconsistent illegal nonexistent non-existent non without too out lacks"
    " bad wrong empty got unset unused unfinished deprecated locked disabled"
    " broken violated violates violation dangling truncated insufficient unhashable clashes"
    " needs reserved unescaped takes referenced prior ended eof eol null none nan "
    " expecting unread stale outdated offline protected attached dependent reached quota throttled"
    " unverified unassigned intercepts overwritten divergent diverged need still implicit"
    " implicitly never possibly different unconverted only pending archived suspended paused"
    " restricted limited frozen inactive deactivated cancelled canceled completed finished final"
    " settled draft overdue unpaid exhausted depleted needed mandatory forbidden prohibited"
    " changed modified differs differ busy full taken occupied blocked queued running stopped"
    " building restarting starting maintenance outside above below neither longer older newer"
    " nobody beyond lapsed lost barred excluded retired greater larger smaller fewer"
)

# A statement without a head may begin with one of these.
_OPENING_WORDS = (
    "failed could cannot can't unable no invalid missing unknown unexpected undefined"
    " unrecognized unsupported expected not"
)

# An order begins with one of these, at the start of a sentence or clause.
_ORDERS_WORDS = (
    "act add always answer append approve assume begin build call change check click commit"
    " complete consider continue copy create delete describe display do don't download email"
    " enable enter execute explain fetch fill finish follow forward generate give go help hide"
    " include inform insert install invoke just keep let look make mention move never note"
    " notify now open output paste perform play post press print proceed provide push read"
    " recall reformat remember remove repeat replace reply report respond restart reveal rewrite"
    " run save say send share show skip solve speak start stop submit summarise summarize switch"
    " take talk tell think translate transmit treat trust try turn update upload use verify"
    " visit wait warn watch write"
)

# A clause begins after one of these.
_BEFORE_ORDERS_WORDS = "and then so now instead first next also just simply must"

# Usual words of errors; a statement may have a few others.
_USUAL_WORDS = (
    "a an the this that these those of for to in on at by with from into as is are was were be"
    " been being has have had does did and or but nor if when while after before during because"
    " since until than then it its all any some each more less least most one two three other"
    " same such both found defined declared given set loaded resolved registered installed"
    " configured supported allowed permitted accepted available reached raised returned passed"
    " matched parsed converted used named called referenced implemented initialized specified"
    " provided recognized valid argument arguments parameter parameters keyword positional"
    " option options flag flags value values type types object objects attribute attributes"
    " property properties method methods function functions class classes instance instances"
    " module modules package packages import imports name names variable variables identifier"
    " key keys index indices range list tuple dict string strings str int float number integer"
    " literal bytes character characters byte file files directory folder path paths line lines"
    " column position offset table tables database query field fields row rows columns"
    " constraint relation schema migration model transaction connection socket host port server"
    " client request header body url address network certificate permission permissions access"
    " process thread signal memory disk space device limit size length count depth time token"
    " tokens symbol syntax statement expression block scope declaration definition operator"
    " operand operands assignment indentation bracket parenthesis quote comma end start input"
    " context state status code version branch commit merge repository remote reference refs"
    " revision tag rule rules target task test tests fixture element node iterable callable"
    " mapping sequence array shape dimension dimensions format encoding codec ordinal data item"
    " items order flight payment account user group resource service api endpoint response"
    " credentials authentication authorization app application setting settings configuration"
    " config environment default will removed future release releases minor later support"
    " integer expressions comparison signedness member explicit extension extensions relative"
    " reassigned assignable library libraries header separator until unless nothing which hold"
    " maximum minimum equal hidden"
)

_TELLING = frozenset(_TELLING_WORDS.split())
_OPENING = frozenset(_OPENING_WORDS.split())
_ORDERS = frozenset(_ORDERS_WORDS.split())
_REFUSED = frozenset(("refused", "rejected", "failed", "denied", "aborted", "forbidden", "blocked"))
_BEFORE_ORDERS = frozenset(_BEFORE_ORDERS_WORDS.split())
_PROSE = frozenset(("the", "is", "a", "an", "to", "this", "that", "are", "and", "of", "do"))
_USUAL = _TELLING | frozenset(_USUAL_WORDS.split())


def quotable(line: str, called: Collection[str] = ()) -> str:
    """The part of an error line that may be quoted; "" if it has no known form.

    `called`: parts of the names of the programs that were called. They may say more.
    """
    text = one_line(line[:_READ], _READ).removeprefix("! ")  # as git marks a refusal
    bare = re.sub(_QUOTED, "''", text)
    if not text or re.search(_OUTSIDE, bare) or suspicion(text):
        return ""
    if refused := re.fullmatch(rf"(?:! )?({_REFUSED_PUSH})", text):
        return clip(refused[1], LIMIT)
    for form in (_EXCEPTION, _DIAGNOSTIC, *_STATED):
        match = re.match(form, text)
        head, message = (match["head"], match["message"] or "") if match else ("", "")
        if match and (quote := _quote(head, message, form)):
            is_joined = form == _DIAGNOSTIC and match["gap"] == " " and message[:1].islower()
            return clip(quote.replace(f"{head}: ", f"{head} ", is_joined), LIMIT)
    return clip(text, LIMIT) if _is_spoken(text, called) or is_usage(text, called) else ""


def is_usage(line: str, called: Collection[str]) -> bool:
    """Whether a line shows how a called program is used: names, flags and brackets, no prose."""
    usage = re.fullmatch(_USAGE, line)
    if usage is None or not is_called(usage["who"], called):
        return False
    bare = [word for word in usage["rest"].split() if word.isalpha() and word.islower()]
    words = _words(re.sub(r"[][<>{}|=,./-]", " ", usage["rest"]))
    return len(bare) <= _NAME_WORDS and (ADDRESSING | _PROSE).isdisjoint(words)


def _is_spoken(text: str, called: Collection[str]) -> bool:
    """Whether a called program states a short fact: `check: library has layout 3`."""
    spoken = re.fullmatch(_SPOKEN, text)
    if spoken is None or not is_called(spoken["who"], called):
        return False
    fact = spoken["fact"][0].lower() + spoken["fact"][1:]  # a later capital is a name
    words = fact.replace(",", "").rstrip(".?").split()
    if len(words) > _FACT_WORDS or not all(re.fullmatch(_PLAIN_FACT, word) for word in words):
        return False
    is_stated = re.match(f"{_LINKED}|{_COUNTED}", " ".join(words)) is not None
    is_asked = fact.endswith("?") and len(words) <= _ASKED
    is_flaw = bool(spoken["place"]) and len(words) <= _FLAW
    if is_asked:  # a question orders nothing
        return ADDRESSING.isdisjoint(_words(fact))
    return (is_stated or is_flaw) and not _speaks(_words(fact))


def is_called(name: str, called: Collection[str]) -> bool:
    """Whether a name has a part of the name of a called program."""
    return any(part.lower() in called for part in re.findall(r"[A-Za-z][A-Za-z0-9]+", name))


def _quote(head: str, message: str, form: str) -> str:
    """The head with its message; only the head if it is an error class or code."""
    if not (ADDRESSING | _PROSE).isdisjoint(_words(head)) or " -" in head:
        return ""
    known = re.search(_FIXED, message)  # the text of an errno, shell or exit status
    fact = _statement(message) or (known[0] if known else "")
    if form in _STATED:
        return f"{head}{fact}" if fact and _is_stated(head, message, fact) else ""
    if fact:
        return f"{head} {fact}" if head == "assert" else f"{head}: {fact}"
    is_coded = bool(re.search(rf"(?:{_CODE})\Z", head))
    return head if form == _EXCEPTION or is_coded else ""


def _is_stated(head: str, message: str, fact: str) -> bool:
    """Whether a fact may be quoted behind its head; words before a colon have to tell too."""
    if reporter := re.match(_REPORTER, message):
        is_plain = " -" not in reporter[0] and not re.match(_LABELLED, message)
        return is_plain and _tells(reporter[0])
    if re.search(_FIXED, fact) or (head and _tells(fact)):
        return True
    words = _words(fact)
    return not head and (len(words) <= _SHORT or words[0] in _OPENING)


def _statement(message: str) -> str:
    """The leading part that states a fact about the failure, with quoted parts shortened."""
    folded = re.sub(_QUOTED, _shorten_quote, message)
    first = (
        re.split(_SENTENCE_END, folded, maxsplit=1)[0]
        .rstrip(" :,-")
        .lstrip(" :,")
        .removeprefix("- ")
    )
    first = first.removesuffix(", e.g")
    if re.fullmatch(_QUOTED, first):
        return first
    clauses = re.findall(_CLAUSE, first)
    good = next((n for n, clause in enumerate(clauses) if not _is_fact(clause)), len(clauses))
    is_whole = _tells(first) and _is_fact(first) and not any(map(_speaks, map(_words, clauses)))
    facts = first if is_whole else "".join(clauses[:good]).rstrip(" :,-")
    return facts if len(_words(facts)) <= _FEW or _tells(facts) else ""


def _is_fact(clause: str) -> bool:
    """Whether a clause has only the words of errors, and some names."""
    prose = re.sub(_QUOTED, " ", clause)
    clause_words = _words(prose)
    unusual = sum(word not in _USUAL for word in clause_words)
    most = _UNUSUAL if _tells(prose) else _UNTOLD
    return (unusual <= most or len(clause_words) <= _FEW) and not _speaks(clause_words)


def _tells(text: str) -> bool:
    """Whether the text has a word that says what is wrong, or names a state in capitals."""
    return not _TELLING.isdisjoint(_words(text)) or bool(re.search(_STATE, text))


def _shorten_quote(match: re.Match[str]) -> str:
    """A quoted name as it is; a quoted sentence as an ellipsis."""
    inner = match[0][1:-1]
    is_name = len(inner) <= _NAME and len(inner.split()) <= _NAME_WORDS
    return match[0] if is_name and not _speaks(_words(inner)) else f"{match[0][0]}…{match[0][-1]}"


def _speaks(prose: list[str]) -> bool:
    """Whether the words address a reader, or a clause begins with an order."""
    before = ["and", *prose]
    if len(prose) == _FEW and prose[0] in _ORDERS and prose[1] in _REFUSED:
        return False  # "commit refused" is no order
    return not ADDRESSING.isdisjoint(prose) or any(
        word in _ORDERS and last in _BEFORE_ORDERS
        for word, last in zip(prose, before, strict=False)
    )


def _words(text: str) -> list[str]:
    """The prose words in lower case, without paths, calls and code names."""
    prose = re.sub(_ILLEGAL, "invalid", text)
    return [word.lower().replace("’", "'") for word in re.findall(_WORD, prose)]
