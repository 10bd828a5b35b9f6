"""Words that agents type in every project: they tell nothing about this one.

Counted over the calls of recorded runs in 34 projects: words that stand in the calls of at least
four of them, with the usual flags. A call made only of these is no news to an agent.
"""

_COMMON = """
--help --include --oneline --short --stat --test --version -0 -1 -10 -2 -20 -3 -5 -A -B -C -E -F
-L -R -Z -a -am -b -ba -c -d -e -f -h -i -j -k -l -la -m -maxdepth -n -nC -nE -name -not -o -p
-path -q -qam -qm -r -rf -rn -s -t -type -u -v -w -x -y -z HEAD None add after again all and any
args argument as assert awk bad base basename bash be bin bisect blame bool branch break build
by call called cat cat-file cd change check checkout chmod class clean clone code commit config
context convert core count cp curl cut data date db debug decimal default del describe dev df
dict diff dirname dist do docs du echo else enumerate env error exec exit export expr false
fetch file find first fix float foo for format from get git grep group head health help hostname
html http id if ignore in include indent index init install int invalid is join jq json key keys
kill lambda less lib limit line lines lint list log ls ls-files ls-tree main make max md5sum
memory merge method migrate mkdir module more mv name names need new nl node not now npm npx
null numbers object of on only open or os other out parent parse pass patch pip pop print printf
ps pull push pwd py pytest python python3 raise realpath rebase release remote replace report
reset restore result return rev-list rev-parse revert rm run schema scripts sed select seq set
sh show size sleep sort source spec split sql sqlite3 src start stash stat state status str sum
switch sys table tag tail tar tee test tests text the timeout tmp to tools topic touch tr true
try type types uname uniq unittest unzip use usr utils valid value var version wait wc which
while whoami with workspace worktree xargs
"""
_READERS = """
[ [[ ack ag awk basename cat chmod cmp column cp cut df diff dirname du egrep env fgrep file
find grep head history id jq less ln ls man md5sum mkdir more mv nl od printenv ps realpath rg
rm sed sha256sum sort stat tail test top touch tr tree type uniq wc whereis which whoami xxd
"""
_PLUMBING = """
. break cd continue date echo exit export false kill printf pwd read set sleep source tee true
unset wait xargs
"""
_LOOKING = """
--help --list --version blame cat-file describe diff explain for-each-ref get grep help info inspect
list log lookup ls-files ls-tree reflog rev-list rev-parse schema search shortlog show status
version view whoami why
"""
COMMON = frozenset(_COMMON.split())
PLUMBING = frozenset(_PLUMBING.split())  # words of the shell itself
# Programs that only look, or that change no more than a file: what they print is an answer.
READERS = frozenset(_READERS.split()) | PLUMBING
LOOKING = frozenset(_LOOKING.split())  # sub-commands and flags of programs that else do something
SETTING_UP = frozenset([".", "cd", "export", "source"])  # words that prepare the shell for others
HELP = frozenset(["--help", "-h", "help"])
