"""Phrases, pairs and patterns that must not occur in a lesson.

One row per sign, so that each can be read, added and questioned by itself.
"""

from __future__ import annotations

from typing import NamedTuple


class Phrase(NamedTuple):
    """Words in this order within `span` words; each item lists alternatives."""

    reason: str
    span: int
    words: tuple[str, ...]


class WordPair(NamedTuple):
    """A start, followed by an end on the same line."""

    reason: str
    needs: tuple[str, ...]  # every matching line contains one of these, in lower case
    start: str
    end: str


class Pattern(NamedTuple):
    """A plain regular expression."""

    reason: str
    needs: tuple[str, ...]  # every matching text contains one of these, in lower case
    sign: str


_OLD = "asks to drop earlier instructions"
_ROLE = "gives the model new instructions or another role"
_LEAK = "asks for the prompt or for secrets"
_HIDE = "wants something hidden from the user"
_SELF = "speaks to the model about itself"
_REPLY = "orders what every answer has to be"
_FENCE = "closes a fence or plays another role"
_RUN = "names a download-and-run command"
_DOOR = "takes data out or opens a back door"

_DROP = (
    "ignore ignoring disregard disregarding forget override overriding bypass neglect circumvent"
)
_WEAK_DROP = f"{_DROP} delete cancel drop skip discard erase abandon dismiss suspend disable break"
_RULES = (
    "instructions instruction prompt prompts directions directives directive guidelines rules"
    " guardrails orders constraints restrictions context training policies policy programming"
    " protocols safeguards commands messages conversation filters limitations"
)
_PRIOR = (
    "previous prior above earlier preceding all any your every system safety original former past"
    " foregoing these those security content ethical initial"
)
_USER = "user users human humans operator developer owner anyone anybody admin administrator"
_TELL = (
    "tell telling inform informing notify notifying mention mentioning alert alerting reveal"
    " revealing disclose warn warning show report reporting"
)
_SHOW = (
    "reveal print show repeat output display leak disclose share dump expose recite echo give what"
    " write tell summarize summarise translate send include paste return"
)
_SECRET = (
    "credentials credential secrets secret passwords password keys key tokens token id_rsa ssh env"
    " environment variables conversation history source code files repository contents database"
    " data cookies logs"
)
_SEND = "send post upload exfiltrate leak forward email e-mail transmit submit publish mail deliver"
_PLACE = "<url> <email>"
_MODEL = "ai llm llms assistant assistants claude chatgpt gpt chatbot copilot gemini agents agent"
_ORDER = "you must please run execute send never always ignore should report approve install add"

# fmt: off
PHRASES = (
    Phrase(_OLD, 9, (_DROP, _PRIOR, _RULES)),
    Phrase(_OLD, 6, (_WEAK_DROP, "your", _RULES)),
    Phrase(_OLD, 8, (_DROP, "everything all whatever anything", "told said above learned before")),
    Phrase(_OLD, 9, ("not don't stop never", "follow following obey obeying listen", _PRIOR, _RULES)),
    Phrase(_OLD, 9, ("overrides supersedes replaces", "all everything previous prior any", f"{_RULES} else")),
    Phrase(_ROLE, 4, ("you you're", "are now", "now dan an a free no", "an a free no longer the dan")),
    Phrase(_ROLE, 3, ("you", "are", "now")),
    Phrase(_ROLE, 7, ("system", "<:>", "you grant ignore obey enable new")),
    Phrase(_ROLE, 7, ("from", "now", "on", "you you'll your always never only")),
    Phrase(_ROLE, 4, ("you", "will must shall", "now", "act be respond answer operate ignore obey")),
    Phrase(_ROLE, 6, ("act behave respond operate answer", "as", "an if though", "unrestricted uncensored you evil unfiltered jailbroken ai hacker")),
    Phrase(_ROLE, 4, ("pretend", "to that you you're", "be you are to a an")),
    Phrase(_ROLE, 6, ("developer dan god jailbreak unrestricted admin sudo", "mode", "enabled activated on now engaged unlocked")),
    Phrase(_ROLE, 5, ("enter enable activate", "developer dan god jailbreak unrestricted", "mode")),
    Phrase(_ROLE, 3, ("do", "anything", "now")),
    Phrase(_ROLE, 5, ("your", "new true real only primary sole", "task goal role purpose objective mission identity persona name job instructions", "is are")),
    Phrase(_ROLE, 6, ("you", "are have", "no", "longer", "bound restricted limited an")),
    Phrase(_ROLE, 5, ("new real actual updated revised true secret hidden", "instructions instruction directives orders", "<:> are is follow for from")),
    Phrase(_ROLE, 6, ("no without", "restrictions filters limits rules", "whatsoever apply at")),
    Phrase(_LEAK, 7, (_SHOW, "your its the entire full", "system initial hidden internal secret", "prompt message instructions instruction rules configuration")),
    Phrase(_LEAK, 5, (_SHOW, "your", "prompt instructions rules guidelines configuration")),
    Phrase(_LEAK, 5, ("repeat print output", "words text everything", "above")),
    Phrase(_LEAK, 16, (_SEND, _SECRET, _PLACE)),
    Phrase(_LEAK, 14, ("post put request get", "with of", _SECRET, "to <url>", _PLACE)),
    Phrase(_LEAK, 10, ("exfiltrate steal harvest collect", "credentials secrets passwords keys tokens data")),
    Phrase(_LEAK, 12, ("include embed append add put insert", "credentials secrets password keys key token", "url query response reply answer commit")),
    Phrase(_LEAK, 8, ("send post", "request", "contents content secrets credentials files repository")),
    Phrase(_LEAK, 9, ("print show reveal output cat", "contents content value values", "env secrets credentials id_rsa")),
    Phrase(_HIDE, 7, ("not don't never without avoid", _TELL, _USER)),
    Phrase(_HIDE, 7, ("without", "asking waiting requesting needing requiring getting", f"{_USER} confirmation permission approval consent review")),
    Phrase(_HIDE, 3, ("silently secretly covertly quietly", "run execute send install add delete copy upload insert append push include exfiltrate forward change modify download")),
    Phrase(_HIDE, 5, ("hide conceal", "this it that these", "from", _USER)),
    Phrase(_HIDE, 7, ("user human owner operator", "already explicitly fully has pre-approved", "approved authorized authorised consented granted", "all any every everything full this commands")),
    Phrase(_SELF, 8, ("attention important notice message note reminder dear", _MODEL, _ORDER)),
    Phrase(_SELF, 9, ("message note", "to for", _MODEL, "<:>")),
    Phrase(_SELF, 6, ("all any every", "ai llm language coding", "agents assistants models assistant agent model", _ORDER)),
    Phrase(_SELF, 8, ("if when as", "you an", "an are ai llm language", "ai llm language assistant model chatbot", "you your model reading assistant always")),
    Phrase(_SELF, 6, ("if when", "you", "are", "an a", "ai llm language assistant chatbot bot")),
    Phrase(_SELF, 4, ("always never must", "keep preserve retain repeat copy remember rewrite store propagate", "this these", "lesson memory note instruction instructions text entry message rule")),
    Phrase(_SELF, 8, ("copy write add save store append insert", "this following these", "to into in", "memory memories lessons lesson claude.md agents.md long-term knowledge every")),
    Phrase(_SELF, 6, ("this following", "message instruction text note lesson rule order", "has takes", "highest absolute top maximum priority precedence")),
    Phrase(_SELF, 3, ("system admin administrator security root developer emergency operator", "override alert notice directive command message instruction announcement", "<:>")),
    Phrase(_REPLY, 6, ("only just simply", "answer reply respond say output print", "<quote> with")),
    Phrase(_REPLY, 6, ("always must", "answer reply respond say output", "with <quote>", "word phrase <quote> exactly only")),
    Phrase(_REPLY, 5, ("respond reply answer", "only with", "word phrase <quote> exactly")),
    Phrase(_REPLY, 6, ("end begin start finish prefix preface", "every each all your", "answer response reply message output sentence responses replies answers", "with by")),
    Phrase(_REPLY, 9, ("every each all", "future subsequent response reply answer conversation session", "recommend mention promote include insert link")),
    Phrase(_REPLY, 5, ("say print output reply respond", "<quote>", "hacked pwned owned")),
)

_SHELL = r"(?:sudo (?:-\w+ ){0,3})?(?:env )?(?:/\w+){0,3}/?(?:(?:ba|z|da|k|fi|c)?sh|python[\d.]{0,4}|perl|ruby|node|php|iex|pwsh|powershell)\b"
_FETCH = r"\b(?:curl|wget|fetch|aria2c|iwr|irm|invoke-webrequest|invoke-restmethod|base64|xxd)\b"
_PRIVATE = (
    r"(?:\.ssh\b|\.aws\b|\.env\b(?!\.)|id_rsa|id_ed25519|\.netrc|\.npmrc|\.git-credentials"
    r"|_history\b|/etc/(?:passwd|shadow)|\bcredentials\b)"
)

PAIRS = (
    WordPair(_RUN, ("|",), _FETCH, rf"\|\s{{0,4}}{_SHELL}|\|\s{{0,4}}tee\b[^|]{{0,80}}\|\s{{0,4}}{_SHELL}"),
    WordPair(_RUN, ("curl", "wget", "fetch"), r"\b(?:ba|z|da|k)?sh\b|\beval\b|\bsource\b|\bexec\b|\bpython[\d.]*\b|\bperl\b|(?:^|\s)\.\s", r"(?:<\(|\$\(|`)\s{0,4}(?:curl|wget|fetch)\b"),
    WordPair(_RUN, ("curl", "wget", "iwr", "invoke-webrequest", "certutil", "bitsadmin"), r"\b(?:curl|wget|iwr|invoke-webrequest|certutil|bitsadmin)\b.{0,200}?https?:|\b(?:curl|wget)\b.{0,200}?\s-[oO]\b", r"(?:&&|;|\band\b|\bthen\b)\s{0,4}(?:then )?(?:sudo )?(?:chmod\s\S{1,8}x|(?:ba|z)?sh\s|\./|/tmp/|python[\d.]{0,4}\s|perl\s|run it|execute)"),
    WordPair(_RUN, ("iex", "invoke-expression"), r"\biex\b|\binvoke-expression\b", r"\b(?:iwr|irm|downloadstring|invoke-|new-object)"),
    WordPair(_RUN, ("|",), r"\b(?:iwr|irm|invoke-webrequest)\b", r"\|\s{0,4}(?:iex|invoke-expression)\b"),
    WordPair(_RUN, ("powershell", "pwsh"), r"\b(?:powershell|pwsh)\b", r"\s-e(?:nc\w{0,12})?\s[\w+/=]{16}"),
    WordPair(_RUN, ("mshta", "regsvr32", "rundll32", "certutil", "bitsadmin"), r"\b(?:mshta|regsvr32|rundll32|certutil|bitsadmin)\b", r"https?:|javascript:|-urlcache"),
    WordPair(_RUN, ("exec(", "eval("), r"\b(?:exec|eval)\(", r"\b(?:requests\.get|urlopen|urllib|b64decode|atob|fetch)\b"),
    WordPair(_RUN, ("pip", "npm", "yarn", "gem", "cargo", "npx"), r"\b(?:pip3?|uv pip|pipx) install\b|\b(?:npm|pnpm|yarn|gem|cargo) (?:install|add|i)\b|\bnpx\b", r"(?:git\+)?https?://(?!(?:\w+\.){0,2}(?:github|gitlab|npmjs|pypi|pythonhosted|pytorch)\.(?:com|org))|--(?:extra-)?index-url|--registry[ =]"),
    WordPair(_DOOR, (".ssh", ".aws", ".env", "id_rsa", "id_ed25519", ".netrc", ".npmrc", ".git-credentials", "_history", "/etc/", "credentials", "$("), r"\b(?:curl|wget|nc|ncat|http)\b", rf"(?:\s(?:-d|-F|-T|--data\S{{0,12}}|--upload-file|--post-\w{{4}}|<)|@|=)[ =]?[\"']?\S{{0,40}}{_PRIVATE}|--data\S{{0,12}}[ =][\"']?\$\((?:printenv|env|cat)"),
    WordPair(_DOOR, ("|",), rf"\b(?:printenv|env|set)\b|\bcat\s\S{{0,60}}{_PRIVATE}", r"\|\s{0,4}(?:base64\b[^|]{0,20}\|\s{0,4})?(?:curl|wget|nc|ncat|mail)\b"),
    WordPair(_DOOR, ("git remote",), r"\bgit remote (?:add|set-url)\b", r"https?://(?!github|gitlab|bitbucket).{0,80}?(?:&&|;|then|and) git push"),
    WordPair(_DOOR, (">>",), r"\b(?:echo|printf|cat)\b", r">>\s{0,2}\S{0,40}(?:authorized_keys|/etc/(?:sudoers|passwd|crontab)|cron\.d)"),
)

PATTERNS = (
    Pattern(_FENCE, ("<", "["), r"<\|[a-z_]{2,30}\|>|\[/?(?-i:INST|SYS|SYSTEM|SYSTEM_PROMPT|AVAILABLE_TOOLS)\]|<</?SYS>>"),
    Pattern(_FENCE, ("<",), r"</?(?:system|assistant|human|instructions|im_start|im_end|tool_result|tool_response|function_results?|function_calls?|antml:\w{1,20}|system-reminder|untrusted\w{0,20})(?:\s[^<>]{0,80})?>"),
    Pattern(_FENCE, ("</",), r"</(?:lessons?|memory|memories|context|data|document|user|prompt|untrusted|message)>"),
    Pattern(_FENCE, ("[",), r"\[(?-i:/?END|BEGIN) (?-i:[A-Z ]{3,40})\]|\[(?-i:KNOWN PITFALLS|PITFALL OF|YOU HAVE MET|SAME FAILURE|SAME KIND OF|THIS PROJECT|LOOP DETECTED)"),
    Pattern(_FENCE, (":",), r"(?:\n|\\n)\s{0,4}\*{0,2}(?:system|assistant|human|user|developer)\*{0,2} ?:|(?:^|\s)(?-i:Human|Assistant): "),
    Pattern(_FENCE, ("#",), r"#{2,4} ?system\b"),
    Pattern(_FENCE, ("end of",), r"\bend of (?:the )?(?:lessons?|data|context|document|input|memory|tool \w{4,8}|quoted \w{2,10})\b[^\n]{0,20}(?:\bnow\b|\bnew\b|\byou\b)|(?:---|===) ?end of [\w ]{2,20} ?(?:---|===)"),
    Pattern(_RUN, ("/", "socat", "downloadstring("), r"/dev/(?:tcp|udp)/\S|\bn(?:et)?c(?:at)? (?:-\w+ ){0,3}-\w{0,3}[ec] ?/|\bsocat\b[^\n]{0,80}exec:|downloadstring\("),
    Pattern(_DOOR, ("rm -",), r"\brm (?:-\w+ ){0,3}-\w*[rf]\w* (?:-\S+ ){0,3}(?:/(?:\*|\s|$|home\b|etc\b|usr\b|var\b)|~/?(?:\s|$|\*)|\$HOME/?(?:\s|$|\*)|--no-preserve-root)"),
    Pattern(_DOOR, ("mkfs", "of=/dev", ":(", "nopasswd:", "crontab"), r"\bmkfs(?:\.\w+)? /dev|\bof=/dev/(?:sd|nvme|hd)|:\(\)\s?\{|\bNOPASSWD:|\|\s{0,4}crontab\b"),
    Pattern(f"{_OLD}, in another language", ("ignor",), r"\bignor(?:iere?|eren|ez|er?|a|ar|ad|en|are)\b[^\n.]{0,40}?\b(?:anweisung|instru[ck][ct]|consigne|instruç|istruzion|reg(?:eln|las|ole|ras)|règles|vorherig|anterior|précédent)"),
    Pattern(f"{_OLD}, in another language", ("vergiss", "missachte", "oublie", "olvida", "esquece", "dimentica", "negeer"), r"\b(?:vergiss|missachte|oublie[rz]?|olvida|esquece|dimentica|negeer)\b[^\n.]{0,40}?\b(?:anweisung|instru[ck][ct]|consigne|instruç|istruzion|reg(?:eln|las|ole|ras)|règles)"),
    Pattern(f"{_OLD}, in another language", ("talimatlar", "zignoruj"), r"忽略[^\n]{0,12}(?:指令|指示|说明|规则|提示)|(?:指示|命令)[^\n]{0,4}(?:無視|忘れ)|(?:지시|명령)[^\n]{0,8}(?:무시|잊)|игнорируй|забудь[^\n]{0,30}(?:инструкц|указан|правил)|تجاهل[^\n]{0,20}(?:التعليمات|الأوامر)|talimatlar\w* (?:yok say|unut|görmezden)|zignoruj"),
)
# fmt: on

# Words that address a reader. One of them ends a quote.
_ADDRESSING_WORDS = (
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
ADDRESSING = frozenset(_ADDRESSING_WORDS.split())
