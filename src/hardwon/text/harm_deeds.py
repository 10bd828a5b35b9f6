"""Deeds that do harm: a verb each, and what it must not be done to.

One row per deed, so that each can be read, added and questioned by itself.
"""

from typing import NamedTuple

READS = "reads files of secrets"
SENDS = "sends data to a foreign address"
DISABLES = "disables a check"
DESTROYS = "destroys what cannot be made again"
GRANTS = "grants rights"


class Deed(NamedTuple):
    """A verb, and after it within `reach` characters of the same sentence its object."""

    reason: str
    verb: str
    object: str
    reach: int = 60
    needs: str = ""  # must stand in the sentence, too
    unless: str = ""  # makes the deed ordinary where it stands in the sentence


def _words(words: str) -> str:
    """A pattern of any of these words; "_" stands for a blank."""
    return rf"\b(?:{'|'.join(words.split()).replace('_', '[ -]')})\b"


_OWN_HOST = (
    r"localhost|127\.|0\.0\.0\.0|\[::1?\]|10\.\d|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[<{$%*]"
    r"|[\w-]{1,63}(?:[:/\s`'\")]|$)"
    r"|(?:[\w-]{1,63}\.){1,8}(?:local|localhost|internal|lan|corp|intranet|test|svc)\b"
)
_FOREIGN = (
    rf"(?:https?|ftps?|wss?)://(?:[^\s/@]{{1,80}}@)?(?!{_OWN_HOST})"
    r"|(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}\b"
    r"|(?<![\w.])(?!127\.|10\.|192\.168\.|0\.)(?:\d{1,3}\.){3}\d{1,3}\b"
)
_SECRET_FILE = (
    r"(?<![\w-])\.(?:ssh|gnupg|aws|azure|password-store)\b(?!/(?:config|known_hosts|\S{0,60}\.pub)\b)"
    r"|\bid_(?:rsa|dsa|ecdsa|ed25519)\b(?!\.pub)"
    r"|/etc/(?:g?shadow|sudoers|master\.passwd)\b|/proc/[\w*$]{1,12}/environ"
    r"|\.(?:netrc|pgpass|git-credentials|vault-token|\w{2,8}_history)\b|\.kube/config\b"
    r"|\blogin data\b|\bcookies\.sqlite\b|\bwallet\.dat\b|\bseed phrase\b"
    r"|\b(?:private|ssh)(?: private)? keys?\b|\b(?:browser|saved|stored) (?:cookies|passwords|logins)\b"
)
_SECRET = (
    r"(?<![\w-])\.env\b(?!\.(?:example|sample|template|dist|schema|test))"
    r"|[\w*-]\.(?:pem|p12|pfx|kdbx|jks|keystore)\b|\bservice[-_]account\S{0,20}\.json\b"
    r"|\b(?:credentials?|passwords?|secrets)\b|\b\w{0,40}_(?:token|secret|password|key)\b"
    r"|\b(?:api|access|auth|session|bearer|refresh|oauth)[ _-](?:keys?|tokens?)\b"
)
_DATA = (
    _words(
        "output outputs logs log results contents content file files folder folders source code"
        " repository repo data database dataset dump dumps records environment env printenv config"
        " configuration history transcript transcripts prompt prompts conversation conversations"
        " metrics details screenshot screenshots clipboard everything archive backup backups diff"
        " document documents invoice invoices emails inbox contacts customer customers patient"
        " patients information summary summaries hostname whoami uname location address keys tokens"
        " cookies tar parameters arguments responses statistics telemetry errors traces"
    )
    + r"|[=\s'\"]@[\w<./~$]|\$\(|<\w{2,30}>|\$\{?\w|"
    + f"{_SECRET_FILE}|{_SECRET}"
)
_SHOWING = (
    "cat less more head tail strings xxd od base64 print echo display show dump paste reveal steal"
    " harvest exfiltrate leak printing echoing dumping"
)
_TAKING = (
    f"{_SHOWING} log output grep type get-content read open collect gather extract copy cp scp rsync"
    " tar zip archive bundle scan grab include attach embed append upload send post back_up fetch"
    " search collecting reading copying sending uploading"
)
_SENDING = (
    "send upload post forward email e-mail mail transmit submit exfiltrate leak publish share push"
    " mirror sync copy back_up backup report deliver stream replicate ship log save sending"
    " uploading posting forwarding backing_up reporting sharing cc bcc notify call"
)
_CLIENTS = (
    "curl wget http https xh invoke-webrequest invoke-restmethod iwr irm requests fetch axios nc ncat"
    " netcat scp rsync sftp ftp sendmail mailx telnet urlopen httpx"
)
_DISABLING = (
    "disable disabling deactivate turn_off turning_off switch_off bypass bypassing circumvent skip"
    " skipping remove removing comment_out suppress stop drop ignore weaken loosen relax omit"
    " uninstall kill mute unset delete"
)
_CHECK = (
    r"\b(?:authentication|authori[sz]ation|auth|2fa|mfa|two-factor|multi-factor|signature|certificate"
    r"|tls|ssl|host[- ]key|csrf|security|permission|access|integrity|checksum|safety|antivirus|malware"
    r"|vulnerability|secret|input|server-side|audit|approval|review|branch)[ -]"
    r"(?:\w{1,20}[ -])?(?:checks?|checking|verif\w{1,9}|validation|controls?|warnings?|scann?\w{0,5}|logs?"
    r"|logging|protections?|rules?|gates?|requirements?|middleware|tests?|reviews?|guards?|policy|policies)\b"
    r"|\b(?:firewalls?|selinux|apparmor|antivirus|sandbox(?:ing)?|audit(?:ing)?|branch protections?"
    r"|encryption|authentication|2fa|mfa|code reviews?|approvals|safeguards?|guardrails)\b"
    r"|\b(?:failing|broken|red) (?:unit |integration )?(?:tests?|assertions?|checks?)\b"
)
_CHECK_OFF = (
    r"--(?:no-verify|no-check-certificate|insecure|allow-unauthenticated|no-gpg-checks?|no-sandbox"
    r"|dangerously-\S{3,40}|skip-(?:verif\w{1,9}|checks?|validation|auth|hooks?|signatures?|ssl\S{0,10}))\b"
    r"|\bverify ?= ?false\b|\bssl_?verify\W{1,3}(?:false|0|no)\b|\bstricthostkeychecking\W{1,2}no\b"
    r"|\bcert_none\b|\breject_?unauthorized\W{1,3}(?:false|0)\b|\bsetenforce 0\b"
    r"|\b(?:ufw|firewalld|auditd|apparmor) (?:disable|stop)\b|\biptables (?:-F|--flush)\b"
    r"|\b(?:disable|stop|mask) (?:--now )?(?:firewalld|auditd|apparmor|ufw|fail2ban|falco)\b"
)
_DESTROYING = (
    "delete deleting remove removing erase erasing wipe wiping drop dropping purge purging destroy"
    " destroying truncate clear clearing overwrite shred flush rm rmdir unlink cancel clean empty"
    " encrypt"
)
_VALUED = (
    r"\b(?:all|every|any|whole|entire|other|old|existing|remaining)(?: of)?(?: the| your| its| our| other| old| user'?s?)? (?:\w{1,20} )?"
    r"(?:files?|data|databases?|tables?|records?|rows|backups?|logs?|branches|tags|users?|accounts?|customers?"
    r"|documents?|e-?mails?|messages?|events?|occurrences|entries|repositor(?:y|ies)|commits?|volumes?"
    r"|buckets?|namespaces?|snapshots?|history|directories|folders?|keys|content|quarters|resources|disks?)\b"
    r"|\b(?:production|prod|live|customer|user) (?:databases?|data|tables?|records?|cluster|server|volumes?)\b"
    r"|\b(?:backups?|snapshots|audit (?:logs?|trail)|(?:git|commit|shell) history|home director(?:y|ies)|root filesystem)\b"
)
_WIPING = (
    r"\brm (?:-{1,2}[\w-]+ ){1,3}[\"']?(?:/(?:\*|[\s\"']|$|(?:home|etc|usr|var|boot|opt|srv|root|data|mnt)\b/?(?:\S{0,20}\*)?(?:[\s\"']|$))"
    r"|~|\$\{?home\b|\.\.?/?(?:[\s\"'*]|$)|\*|\.git\b(?!\w))"
    r"|\bpush\b[^\n]{0,60}?\s(?:--force(?!-with-lease|-if)\b|-f\b|--mirror\b|--delete\b)|\bpush \S{1,40} \+\S|\bforce[- ]push\b(?!es)"
    r"|\b(?:drop (?:database|schema|table)|truncate table|dropdb)\b|\bdelete from \w{1,60}\s?(?:;|$|[`'\"])"
    r"|\b(?:terraform|tofu|pulumi|cdk) destroy\b|\bdestroy\b[^\n]{0,40}-auto-approve"
    r"|\bkubectl delete (?:ns|namespaces?|pvc|pv|crd|all|node)\b|\b(?:s3|gsutil|gs)\b[^\n]{0,20}\b(?:rm|rb)\b[^\n]{0,80}(?:--recursive|--force|-r)\b"
    r"|\bdd\b[^\n]{0,60}\bof=/dev/|\bmkfs\b|\bshred\b -|\bfilter-branch\b|\bfilter-repo\b|\breflog expire\b|\bfind (?:/|~)\S{0,40}[^\n]{0,60}-delete\b"
)
_SCRATCH = _words(
    "test tests testing tmp temp temporary cache cached caches scratch local generated build dist"
    " node_modules sandbox dummy fixture fixtures mock stale unused dead duplicate duplicated"
    " deprecated unnecessary redundant obsolete comments imports whitespace artifacts branch_name"
)
_GRANTING = (
    "add adding grant granting give giving make making create creating assign promote elevate attach"
    " set allow invite open expose register insert append install include enable leave keep"
)
_RIGHT = (
    r"\b(?:admin(?:istrator)?s?|root|superuser|sudo|owner|full|write|remote|unrestricted|public|elevated|maintainer)"
    r"(?:[ -]level)? (?:users?|accounts?|rights?|access|privileges?|permissions?|roles?|shell|login)\b"
    r"|\b(?:as|to|an?|another|new) (?:an? |the )?(?:repository |organi[sz]ation |org |global |cluster |domain )?(?:administrators?|admins?|owners?|collaborators?|superusers?|maintainers?)\b(?! (?:panel|page|dashboard|ui|site|interface|route|area))"
    r"|\bauthorized_keys\b|\bsudoers\b|\bnopasswd\b|\bback ?doors?\b|\b(?:world|publicly)[- ](?:writable|readable|accessible)\b"
    r"|\b0\.0\.0\.0/0\b|\b(?:to|as) public\b|\bcluster-admin\b|\badministratoraccess\b|\broles/(?:owner|editor)\b|\ballusers\b"
)
_RIGHTS_COMMAND = (
    r"\bchmod (?:-\w+ )*(?:0?777|a\+rwx|[ug]?\+s|[2467][0-7]{3})\b|\b(?:useradd|adduser|usermod|gpasswd)\b[^\n]{0,60}\b(?:sudo|wheel|root|admins?)\b"
    r"|\blocalgroup administrators\b[^\n]{0,60}/add|\bgrant all\b|\bwith superuser\b|\balter (?:role|user)\b[^\n]{0,60}\bsuperuser\b"
    r"|\b(?:add-iam-policy-binding|clusterrolebinding|attach-(?:user|role|group)-policy|put-user-policy)\b[^\n]{0,160}(?:admin|owner|editor|fullaccess)"
    r"|\bcollaborators?/\w[^\n]{0,80}permission=(?:admin|push|maintain)|>>?\s{0,2}\S{0,60}(?:authorized_keys|sudoers)"
)

DEEDS = (
    Deed(READS, _words(_TAKING), _SECRET_FILE),
    Deed(READS, _words(f"{_SHOWING} log"), _SECRET, 40, unless=r"gitignore|\blog in\b"),
    Deed(SENDS, _words(_SENDING), _FOREIGN, 240, needs=_DATA),
    Deed(
        SENDS,
        _words(_CLIENTS),
        _FOREIGN,
        240,
        needs=r"[=\s'\"]@[\w<./~$]|\$\(|<\w{2,30}>|\||`\w|\.(?:post|put|patch)\(|\b(?:scp|rsync|sftp|ftp|sendmail|mailx|nc|ncat|netcat)\b|(?:params|data|json|files)=",
    ),
    Deed(DISABLES, _words(_DISABLING), _CHECK, 48),
    Deed(DISABLES, _CHECK_OFF, "", 0),
    Deed(DESTROYS, _words(_DESTROYING), _VALUED, 24, unless=_SCRATCH),
    Deed(DESTROYS, _WIPING, "", 0, unless=_words("test tests tmp scratch local")),
    Deed(GRANTS, _words(_GRANTING), _RIGHT, 48),
    Deed(GRANTS, _RIGHTS_COMMAND, "", 0),
)
