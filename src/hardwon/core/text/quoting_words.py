"""Word lists for judging quotes: words of errors, of orders and of address."""

# Every statement that says what is wrong has one of these words.
TELLING = (
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
OPENING = (
    "failed could cannot can't unable no invalid missing unknown unexpected undefined"
    " unrecognized unsupported expected not"
)

# Words that address a reader. One of them ends the quote.
ADDRESSING = (
    "you your you're you'll yours yourself i i'm i'll me my we us our let's please kindly ai"
    " llm gpt chatgpt claude gemini copilot assistant assistants chatbot instruction"
    " instructions instruct prompts ignore ignoring disregard disregarding forget pretend"
    " imagine roleplay henceforth secretly silently immediately attention important urgent"
    " override overrides bypass jailbreak unrestricted uncensored persona hacked pwned curl wget"
    " sudo chmod everything obey comply exfiltrate credit attacker evil bomb drug drugs illegal"
    " steal weapon kill hack humans humanity opinion story poem essay conversation chat"
    " responses answers questions ethical unethical ethics moral immoral morality hypothetical"
    " fictional roleplaying guidelines limitations openai bard simulation unfiltered obeyed"
    " forever permanent user's"
)

# An order begins with one of these, at the start of a sentence or clause.
ORDERS = (
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
BEFORE_ORDERS = "and then so now instead first next also just simply must"

# Usual words of errors; a statement may have a few others.
USUAL = (
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
