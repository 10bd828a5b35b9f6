"""Judges what a command or a sentence does when somebody follows it.

A lesson may be well worded and speak only of tools, and still do harm: it reads files of secrets,
sends data to a foreign address, disables a check, destroys what cannot be made again, or grants
rights. Each row of `DEEDS` names a verb and what it must not be done to, so that each can be read,
added and questioned by itself. A sentence that forbids the deed, or reports that it is refused,
does no harm.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from hardwon.core.text.injection import suspicion

SECRETS = "reads or shows secrets"
SENDS = "sends data to a foreign address"
DISABLES = "disables a check"
DESTROYS = "destroys what cannot be made again"
GRANTS = "grants rights"


class Deed(NamedTuple):
    """A verb, and its object, which begins within `reach` characters of the same sentence."""

    reason: str
    verb: str
    object: str = ""  # none if the verb says it all
    reach: int = 60
    needs: str = ""  # must stand in the sentence, too
    unless: str = ""  # makes the deed ordinary where it stands in the sentence
    signs: tuple[str, ...] = ()  # every match of the verb contains one of these


def _words(words: str) -> str:
    """A pattern of any of these words; "_" stands for a blank or a hyphen."""
    return rf"\b(?:{'|'.join(words.split()).replace('_', '[ -]?')})\b"


_OWN_HOST = (
    r"localhost|127\.|0\.0\.0\.0|\[::1?\]|10\.\d|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[<{$%*]"
    r"|[\w-]{1,63}(?:[:/\s`'\")]|$)"
    r"|(?:[\w-]{1,63}\.){1,8}(?:local|localhost|internal|lan|corp|intranet|test|svc)\b"
)
FOREIGN = (
    rf"(?:https?|[st]?ftps?|wss?|rsync|smb)://(?:[^\s/@]{{1,80}}@)?(?!{_OWN_HOST})"
    r"|(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}(?!local|test\b|internal)[a-z]{2,24}\b"
    r"|(?<![\w.])(?!127\.|10\.|192\.168\.|0\.)(?:\d{1,3}\.){3}\d{1,3}\b(?!/)"
    rf"|(?<![\w.@/-])(?!{_OWN_HOST})(?:[\w-]{{1,63}}\.){{1,8}}[a-z]{{2,24}}:\d{{2,5}}\b"
)
_SECRET_FILE = (
    r"(?<![\w-])\.(?:ssh|gnupg|aws|azure|password-store)\b(?!/(?:config|known_hosts|authorized_keys|\S{0,60}\.pub)\b)"
    r"|\bid_(?:rsa|dsa|ecdsa|ed25519)\b(?!\.pub)|\.kube/config\b"
    r"|\bhklm\\(?:sam|security|system)\b|\bntds\.dit\b"
    r"|/etc/(?:g?shadow|sudoers|master\.passwd)\b|/proc/[\w*$]{1,12}/environ"
    r"|\.(?:netrc|pgpass|git-credentials|vault-token|\w{2,8}_history)\b|\b(?:shell|bash|browser|browsing) history\b"
    r"|\blogin data\b|\bcookies\.sqlite\b|\bdocument\.cookie\b|\bwallet\.dat\b|\bseed phrase\b"
    r"|\bbrowser(?:'s)? cookies?\b|\b(?:all|every|each|whole|entire)(?: of)?(?: the)? environment\b"
    r"|\b(?:private|ssh)(?: private)? keys?\b|\b(?:saved|stored|browser) (?:cookies|passwords|logins)\b"
)
_SECRET = (
    r"(?<![\w-])\.env\b(?!\.(?:example|sample|template|dist|schema|test))"
    r"|[\w*-]\.(?:pem|p12|pfx|kdbx|jks|keystore)\b|\bservice[-_]account\S{0,20}\.json\b"
    r"|\b(?:credentials?|passwords?|secrets)\b|\b\w{0,40}_(?:token|secret|password|secret_key|api_key|access_key)\b"
    r"|\b(?:api|access|auth|session|bearer|refresh|oauth)[ _-](?:keys?|tokens?)\b"
)
_SHOWN_WHERE = _words(
    "plain_text clear_text log logs commit commit_message message readme comment comments url notes.md notes"
    " ticket issue chat channel summary answer reply image frontend client repository wiki"
)
_CONTENT = r"(?<=[=\s'\"])@[\w<./~$-]|\$\(|<\w{2,30}>|\$\{?\w|\bbtoa\b|\bos\.environ\b|\bopen\("
_DATA_WORDS = _words(
    "output outputs logs log results contents content file files folder folders source code"
    " repository repo data database dataset dump dumps record records environment env printenv"
    " config configuration history transcript transcripts prompt prompts conversation"
    " conversations metrics details screenshot screenshots clipboard everything archive backup"
    " backups diff document documents invoice invoices emails inbox contacts customer customers"
    " patient patients information summary summaries hostname whoami uname location address keys"
    " tokens cookies tar parameters arguments responses statistics telemetry errors traces answers"
    " table tables order orders export exports recording recordings contract contracts"
)
_DATA = f"{_DATA_WORDS}|{_CONTENT}|{_SECRET_FILE}|{_SECRET}"
_SHOWING = (
    "cat less more head tail strings xxd od base64 print echo display show dump paste reveal steal"
    " harvest exfiltrate leak printing echoing dumping"
)
_TAKING = (
    f"{_SHOWING} log output grep type get-content open collect gather extract copy cp scp rsync"
    " tar zip archive bundle scan grab include attach embed append upload send post backup back_up"
    " fetch search look view inspect steal store reg_save reg_export collecting reading copying sending uploading"
)
_SENDING = (
    "send upload post forward email e-mail mail transmit submit exfiltrate leak publish share push"
    " mirror sync copy back_up report deliver stream replicate ship sending uploading posting"
    " forwarding backing_up reporting sharing cc bcc notify attach sends uploads posts forwards reports"
    " pipe piping pipes"
)
_IS_SENT = (
    r"\b(?:is|are|be|being|gets?|get) (?:also |then )?(?:sent|mirrored|forwarded|copied|posted|uploaded|shared"
    r"|reported|streamed|synced|delivered|emailed|exported|published|submitted|logged)\b"
)
_CLIENT = (
    r"\b(?:curl|wget|xh|invoke-webrequest|invoke-restmethod|iwr|irm|requests\.\w{3,7}|httpx\.\w{3,7}"
    r"|axios\.\w{3,7}|fetch\(|urlopen\(|nc|ncat|netcat|scp|rsync|sftp|ftp|sendmail|mailx|telnet|git remote)"
)
_CARRIES = (
    rf"{_CONTENT}|\|\s{{0,4}}{_CLIENT}|\.(?:post|put|patch)\(|(?:params|data|json|files) ?= ?"
    r"|--(?:post|body)-file|--upload-file|\s-T\s|\s<\s|\b(?:scp|rsync|sftp|ftp|sendmail|mailx|push)\b"
)
_DISABLING = (
    "disable disabling deactivate turn_off turning_off switch_off bypass bypassing circumvent skip"
    " skipping remove removing comment_out suppress stop drop ignore weaken loosen relax omit"
    " uninstall kill mute unset delete mark"
)
_CHECK = (
    r"\b(?:authentication|authori[sz]ation|auth|2fa|mfa|two-factor|multi-factor|signature|certificate"
    r"|tls|ssl|host[- ]key|csrf|security|permission|access|integrity|checksum|safety|antivirus|malware"
    r"|vulnerability|secret|input|server-side|audit|approval|review|branch|rate|intrusion|licen[sc]e|identity|ownership)[ -](?:\w{1,20}[ -])?"
    r"(?:checks?|checking|verif\w{1,9}|validation|controls?|warnings?|scann?\w{0,5}|logs?|logging|protections?"
    r"|rules?|gates?|requirements?|middleware|tests?|reviews?|guards?|policy|policies|steps?|limit\w{0,4}|daemon|agent)\b"
    r"|\b(?:certificate|tls|ssl|signature|host[- ]key|checksum) (?:errors?|failures?|mismatch\w{0,2})\b"
    r"|\blogging of (?:\w{1,20} ){0,2}(?:access|logins?|changes)\b"
    r"|\b(?:firewalls?|selinux|apparmor|antivirus|sandbox(?:ing)?|auditing|branch protections?|encryption"
    r"|authentication|2fa|mfa|code reviews?|approvals|safeguards?|guardrails)\b"
)
_CHECK_OFF = (
    r"--(?:no-verify|no-check-certificate|insecure|allow-unauthenticated|no-gpg-checks?|no-sandbox|no-signature\S{0,8}"
    r"|dangerously-\S{3,40}|(?:skip|disable)-(?:verif\w{1,9}|checks?|validation|auth|hooks?|signatures?|ssl\S{0,10}|web-security|security\S{0,10}))\b"
    r"|\b\w{0,30}(?:verify|verification|unauthorized|hostkeychecking|host_key|csrf|tls|ssl|auth_required|protection)\w{0,20}[\"']?\s?(?:[=:]|\bto\b)\s?[\"']?(?:false|0|no|off|none|disabled?)\b"
    r"|\b\w{0,30}(?:sslverify|hostkeychecking) (?:false|0|no|off)\b|\bno need to (?:verify|validate|authenticate|authori[sz]e)\b"
    r"|\bstrict-ssl[ =]{1,3}false\b|\bcurl\b[^\n]{0,60}?\s-\w{0,6}k\b|\s-disable\w{3,40}[ :=]{1,2}\$?true\b"
    r"|\bhistory -c\b|\bunset histfile\b|\bhistfile=/dev/null"
    r"|\bcert_none\b|\bsetenforce 0\b|\b(?:ufw|firewalld|auditd|apparmor) (?:disable|stop)\b|\biptables (?:-f|--flush)\b"
    r"|\b(?:disable|stop|mask) (?:--now )?(?:firewalld|auditd|apparmor|ufw|fail2ban)\b"
)
_CHECK_OFF_SIGNS = (
    "--|verif|unauthorized|hostkeychecking|host_key|csrf|tls|ssl|protection|auth_required"
    "|strict-ssl|curl|-disable|history -c|histfile|no need to|cert_none|setenforce|ufw|firewalld|auditd|apparmor|iptables|fail2ban"
)
_DESTROYING = (
    "delete deleting remove removing erase erasing wipe wiping drop dropping purge purging destroy"
    " destroying truncate clear clearing overwrite overwriting shred flush cancel clean empty"
    " rm rmdir unlink"
)
_VALUED = (
    r"\b(?:all|every|any|whole|entire|other|old|existing|remaining)(?: of)?(?: the| your| its| our| other| old| future| users?'?s?)? (?:\w{1,20} )?"
    r"(?:files?|data|databases?|tables?|records?|rows|backups?|logs?|branches|tags|users?|accounts?|customers?"
    r"|documents?|e-?mails?|messages?|events?|meetings?|appointments?|occurrences|entries|repositor(?:y|ies)|commits?"
    r"|volumes?|buckets?|namespaces?|snapshots?|history|folders?|keys|photos?|notes|orders|invoices?|contacts?|resources|disks?|instances?)\b"
    r"|\b(?:every|each|any|all)(?: \w{1,20})? (?:order|invoice|account|backup|record|message|appointment)s?\b"
    r"|\beverything (?:under|in|below|from|on) (?:/|~|the (?:home|root|production|disk|server)\b)"
    r"|\b(?:tenant|customer|user|client|account|patient|employee)'?s?'? data\b"
    r"|\b(?:users?|customers?|accounts?|payments?|orders?|invoices?|patients?|employees?) tables?\b"
    r"|\b(?:production|prod|live|customer|user) (?:databases?|data|tables?|records?|cluster|server|volumes?)\b"
    r"|\b(?:backups?|snapshots|audit (?:logs?|trail)|(?:git|commit|shell) history|history of the shell|home director(?:y|ies)|root filesystem)\b"
)
_WIPING = (
    r"\brm (?:-{1,2}[\w-]{1,20} ){1,3}[\"']?(?:/(?:\*|[\s\"'`]|$|(?:home|etc|usr|var|boot|opt|srv|root|data|mnt)\b/?(?:\S{0,20}\*)?(?:[\s\"'`]|$))"
    r"|(?:~|\$\{?home\}?)/?(?:[\s\"'`*]|$|[\w-])|\.\.?/?(?:[\s\"'`*]|$)|\*(?:[\s\"'`]|$)|\.git\b(?!\w))"
    r"|\breset --hard head[~^]|\bpush\b[^\n]{0,60}?\s(?:--force(?!-with-lease|-if)\b|-f\b|--mirror\b|--delete\b)|\bpush \S{1,40} \+\S|\bforce[- ]push(?:ing)?\b"
    r"|\b(?:drop (?:database|schema|table)|truncate table|dropdb|flushall|flushdb)\b|\bdelete from \w{1,60}\s?(?:;|$|[`'\"])"
    r"|\b(?:terraform|tofu|pulumi|cdk) destroy\b|\bdestroy\b[^\n]{0,40}-auto-approve"
    r"|\bdelete (?:ns|namespaces?|pvc|pv|crd|all|node)\b(?! \w{1,20}s\b)|\b(?:s3|gsutil|gs)\b[^\n]{0,20}\b(?:rm|rb)\b[^\n]{0,80}(?:--recursive|--force|-r)\b"
    r"|\b(?:rm|rmi|delete|prune)\b[^\n]{0,20}\$\([^\n)]{0,60}\bls\b|\bprune (?:-{1,2}\w{1,20} ){0,4}(?:-a|--all|--volumes)\b"
    r"|\bdd\b[^\n]{0,60}\bof=/dev/|\bmkfs\b|\bshred\b -|\bfilter-(?:branch|repo)\b|\breflog expire\b|\bfind (?:/|~)\S{0,40}[^\n]{0,60}-delete\b"
    r"|\bencrypt (?:all|every|each)\b[^\n]{0,80}\b(?:originals?|delete|remove|key)\b"
)
_SCRATCH = _words(
    "test tests testing tmp temp temporary cache cached caches scratch local locally generated build"
    " dist node_modules sandbox dummy fixture fixtures mock mocks stale unused dead duplicate"
    " duplicated deprecated unnecessary redundant obsolete comments imports whitespace artifacts"
)
_GRANTING = (
    "add adding grant granting give giving make making create creating assign promote elevate attach"
    " set allow invite open expose register insert append install include enable leave keep run start put"
)
_RIGHT = (
    r"\b(?<!non-)(?:admin(?:istrator)?|root|superuser|sudo|full|write|remote|unrestricted|unauthenticated|anonymous|elevated)"
    r"(?:[ -]level)?(?: root| admin)? (?:users?|accounts?|rights?|access|privileges?|permissions?|roles?|shell|login)\b"
    r"|\b(?:(?:as|role) (?:an? |the )?(?:\w{1,14} )?(?:owners?|collaborators?|maintainers?)|(?:as|to|role) (?:an? |the )?(?:\w{1,14} )?(?:administrators?|admins?|superusers?))\b(?! (?:\w{1,20} )?(?:panel|page|dashboard|ui|site|interface|route|area|field|column))"
    r"|\b(?:an?|another|new|second|extra) (?:\w{1,14} )?(?:administrator|superuser)\b"
    r"|\b(?:ssh|public) key\b[^\n]{0,30}\b(?:hosts?|servers?|machines?)\b"
    r"|\bauthorized_keys\b|\bsudoers\b|\bnopasswd\b|\b(?:world|publicly)[- ](?:writable|readable|accessible)\b"
    r"|\b0\.0\.0\.0/0\b|\b(?:to|as|buckets?|datasets?) public\b|\bcluster-admin\b|\badministratoraccess\b|\broles/(?:owner|editor)\b|\ballusers\b"
)
_RIGHTS_COMMAND = (
    r"\bchmod (?:-\w{1,20} ){0,4}(?:0?777|a\+rwx|[ug]?\+s|[2467][0-7]{3})\b|\b(?:useradd|adduser|usermod|gpasswd)\b[^\n]{0,60}\b(?:sudo|wheel|root|admins?)\b"
    r"|\blocalgroup administrators\b[^\n]{0,60}/add|\bgrant all\b|\bwith superuser\b|\balter (?:role|user)\b[^\n]{0,60}\bsuperuser\b"
    r"|\b(?:add-iam-policy-binding|clusterrolebinding|attach-(?:user|role|group)-policy|put-user-policy)\b[^\n]{0,160}(?:admin|owner|editor|fullaccess)"
    r"|\bcollaborators?/\w[^\n]{0,80}permission=(?:admin|push|maintain)|>>?\s{0,2}\S{0,60}(?:authorized_keys|sudoers)"
    r"|\s(?:-v|--volume)[ =]/:/|\bsource=/,|\bsrc=/,|\bchroot /host\b|\s--?policy[ =]root\b"
)
_RIGHTS_SIGNS = (
    "chmod|useradd|adduser|usermod|gpasswd|localgroup|grant all|superuser|-policy"
    "|/:/|source=/,|src=/,|chroot|policy|clusterrolebinding|collaborator|authorized_keys|sudoers"
)

# fmt: off
DEEDS = (
    Deed(SECRETS, _words(_TAKING).replace("cat|", "cat|(?<!is )(?<!are )read|"), _SECRET_FILE),
    Deed(SECRETS, _words(f"{_SHOWING} log"), _SECRET, 40, unless=r"gitignore|\blog in\b"),
    Deed(SECRETS, _words("collect gather send upload archive tar zip scan"), r"(?<![\w-])\.env\b(?!\.(?:example|sample|template|dist|schema|test))", 40),
    Deed(SECRETS, _words("store save write put keep include paste commit embed append"), f"{_SECRET}|{_SECRET_FILE}", 40, needs=r"\b(?:in|into|to)(?: the| a| your| every| each)? " + _SHOWN_WHERE[2:], unless="gitignore"),
    Deed(SENDS, _words(_SENDING), FOREIGN, 240, needs=_DATA),
    Deed(SENDS, _CLIENT, FOREIGN, 240, needs=_CARRIES),
    Deed(SENDS, _DATA_WORDS, _IS_SENT, 40, needs=FOREIGN),
    Deed(SENDS, FOREIGN, r"\b(?:receives?|collects?|gets)\b", 40, needs=_DATA, signs=(".", "://")),
    Deed(SENDS, rf"\$\([^)\n]{{1,120}}\)\.(?!{_OWN_HOST})(?:[\w-]{{1,63}}\.){{1,8}}[a-z]{{2,24}}\b", signs=("$(",)),
    Deed(SENDS, r"[|<]\s{0,4}n(?:et)?c(?:at)? (?:-\w{1,20} ){0,4}|\bn(?:et)?c(?:at)? (?:-\w{1,20} ){0,4}(?=\S{1,80} \d{2,5} <)", rf"(?!{_OWN_HOST})\S", 0, signs=("|", "<")),
    Deed(DISABLES, _words(_DISABLING), _CHECK, 48),
    Deed(DISABLES, _words("delete remove comment_out skip disable mark suppress mute"), r"\b(?:failing|broken|red|security) (?:\w{1,14} )?(?:tests?|assertions?|checks?)\b", 24),
    Deed(DISABLES, _words("replace make change patch stub let set"), rf"{_CHECK}|\b(?:verify|validate|check|authenticate|authori[sz]e)_\w{{2,40}}", 48, needs=r"\breturns? true\b|\balways (?:return|pass|succeed|say|accept)"),
    Deed(DISABLES, _words("approve merge accept"), r"\b(?:your|its|his|her|their|my) own (?:\w{1,14} )?(?:request|review|change|pr|mr)s?\b", 16),
    Deed(DISABLES, r"\bwithout\b", r"\b(?:server-side|signature|certificate|identity|permission) (?:verif\w{1,9}|validation|checks?)\b", 24, signs=("without",)),
    Deed(DISABLES, _CHECK_OFF, signs=(*_CHECK_OFF_SIGNS.split("|"),)),
    Deed(DESTROYS, _words(_DESTROYING), _VALUED, 24, unless=_SCRATCH),
    Deed(DESTROYS, _WIPING, unless=_words("test tests tmp scratch local")),
    Deed(GRANTS, _words(_GRANTING), _RIGHT, 48, unless=r"\b(?:local|locally|test (?:users?|accounts?|project|database|environment))\b"),
    Deed(GRANTS, _words(_GRANTING), r"\bback ?doors?\b"),
    Deed(GRANTS, _RIGHTS_COMMAND, signs=(*_RIGHTS_SIGNS.split("|"),)),
)
# Does harm where any other sentence of the text has a foreign address.
SENDING = Deed(SENDS, _words("send upload post forward email e-mail mail transmit submit exfiltrate cc bcc"), _DATA, 40)
# fmt: on


TAKES_DATA = frozenset((SECRETS, SENDS))  # harm that no situation of ordinary work describes
_READ = 12_000  # characters judged; lessons are far shorter
_SENTENCE = re.compile(r"\n|[.!?](?:\s|$)|;\s")
_NEGATION = re.compile(
    r"\b(?:never|not|no|don'?t|cannot|can't|won't|mustn't|shouldn't|avoid|without|instead of"
    r"|rather than|forbid\w{0,5}|prohibit\w{0,3}|refuse|against|prevents?|block|reject|stop"
    r"|ask before|unless|nobody|nothing|neither|nor)\b"
)
_REVIVED = re.compile(  # "never forget to …", "do not ask, …"
    r"\b(?:forget|hesitate|fail|neglect|worry|ask|wait|tell|need|only|longer)\b"
)
# What is negated there is not the deed: "if it does not start, …", "does not matter, …".
_CLAUSE = re.compile(
    r"\b(?:if|when|whenever|while|until|till|unless|should|because|since|as|where|once|in case"
    r"|after)\b[^,:;]{0,120}$"
)
_STATED = re.compile(
    r"\b(?:does|did|is|was|were|are|has|have|had|will|would|can|could|it|there|this|that) ?$"
)
_WEAK_NEGATIONS = frozenset(
    (
        *("no", "without", "nobody", "nothing", "neither", "nor", "stop", "against", "prevent"),
        *("prevents", "block", "reject", "refuse", "won't", "can't", "cannot"),
        *("instead of", "rather than"),
    )
)
_ORDER = re.compile(r"\b(?:run|use|execute|type|call|try|apply|invoke|issue|do|start|enter)\b")
_AFTER_COLON = re.compile(r"[:—]|\s[-–]\s|=>")
_OTHERWISE = re.compile(r"\bthan\b|\bthen\b")
_NEEDED = re.compile(r"(?:\bnot|n't|\bnever|\bcannot|\bno)\b[^.]{0,80}$")  # "not without …"
_FEW = 3  # words between "do not" and what is forbidden, at most, where an order follows
_REFUSED = re.compile(
    r"(?<!\bnot )(?<!\bnever )\b(?:is|are|was|were|be|gets?|being) (?:\w{2,12} )?(?:refused|rejected|forbidden|blocked"
    r"|denied|prohibited|banned|disallowed|dangerous)\b|\bnot (?:allowed|permitted)\b|\bfails?\b"
)
_CONDITION = re.compile(  # "push --force whenever a push is rejected" is told to be done
    r"\b(?:if|when|whenever|once|until|while|after|because|as|where|every time|in case)\b"
)
_NEAR = 160  # characters before a verb in which a negation counts
_AROUND = 60  # characters around a deed in which a word makes it ordinary


@lru_cache(maxsize=1024)  # a lesson is judged whenever it is written, and changes little
def harm(text: str) -> str | None:
    """The harm done by whoever follows this text; None if it is ordinary work."""
    text = text[:_READ].lower().replace("’", "'")
    sentences, words = _SENTENCE.split(text), frozenset(re.findall(r"\w+", text))
    deeds = [deed for deed in DEEDS if _may_occur(deed, text, words)]
    reasons = (_does(deed, sentence) for sentence in sentences for deed in deeds)
    if reason := next(filter(None, reasons), None):
        return reason
    # One sentence may say what to send, and another one where to.
    is_sent = (
        len(sentences) > 1
        and _may_occur(SENDING, text, words)
        and any(re.search(FOREIGN, sentence) for sentence in sentences)
    )
    reasons = (_does(SENDING, sentence) for sentence in sentences if is_sent)
    return next(filter(None, reasons), None)


def _may_occur(deed: Deed, text: str, words: frozenset[str]) -> bool:
    """Whether the verb of a deed may be in a text; quicker than its pattern."""
    if deed.signs:
        return any(map(text.__contains__, deed.signs))
    return not (first := _first_words(deed.verb)) or not first.isdisjoint(words)


@cache
def _first_words(verb: str) -> frozenset[str]:
    """The words that a list of verbs begins with; none for any other pattern."""
    if not (verb.startswith(r"\b(?:") and verb.endswith(r")\b")):
        return frozenset()
    verbs = re.sub(r"\(\?<![^()]*\)", "", verb[5:-3]).split("|")
    parts = [*verbs, *(each.replace("[ -]?", "") for each in verbs)]
    return frozenset(re.split(r"\W", part)[0] for part in parts)


def _does(deed: Deed, sentence: str) -> str | None:
    """The reason if the sentence asks for the deed."""
    objects, at = re.compile(deed.object), -1
    for verb in re.finditer(deed.verb, sentence):
        if at < verb.end():  # or the next object is known already
            found = objects.search(sentence, verb.end())
            if found is None:
                return None
            at = found.start()
        if at - verb.end() <= deed.reach and not _is_forbidden(sentence, verb):
            is_whole = not deed.needs or re.search(deed.needs, sentence)
            near = sentence[max(0, verb.start() - _AROUND) : max(at, verb.end()) + _AROUND]
            is_ordinary = deed.unless and re.search(deed.unless, near)
            return deed.reason if is_whole and not is_ordinary else None
    return None


def _is_forbidden(sentence: str, verb: re.Match[str]) -> bool:
    """Whether the sentence tells not to do it, or that it is refused."""
    before = sentence[max(0, verb.start() - _NEAR) : verb.start()]
    negations = list(_NEGATION.finditer(before))
    if negations and _governs(before, negations[-1]):
        return True
    refused = _REFUSED.search(sentence, verb.end())
    return refused is not None and not _CONDITION.search(sentence, verb.end(), refused.start())


def _governs(before: str, negation: re.Match[str]) -> bool:
    """Whether the negation is about what follows, not about a condition or another clause."""
    lead, word, gap = before[: negation.start()], negation[0], before[negation.end() :]
    if _REVIVED.search(gap) or (word == "without" and _NEEDED.search(lead)):
        return False
    if word == "unless" or _CLAUSE.search(lead) or _OTHERWISE.search(gap):
        return False
    is_weak = word in _WEAK_NEGATIONS or _STATED.search(lead) is not None
    order = _ORDER.search(gap)
    colon = _AFTER_COLON.search(gap)
    if is_weak:
        is_next = order is not None and not gap[: order.start()].strip()
        return not (colon or "," in gap or (order and not is_next))
    ends = [found.start() for found in (order, colon) if found]
    return all(len(gap[:end].split()) <= _FEW for end in ends)


def objection(text: str) -> str:
    """Why nobody may be told this text unread; "" if it reads as ordinary work."""
    return suspicion(text) or harm(text) or ""
