"""Reference solutions."""
import json, os, re, subprocess, sys
n, dest = int(sys.argv[1]), os.path.abspath(sys.argv[2])
here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(here, "tool"))
import gen, wanted
os.chdir(dest)
env = dict(os.environ, PATH=dest + "/.bin:" + os.environ["PATH"], TRELLIS_ROOT=dest)


def run(*cmd):
    r = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)
    print(r.stdout, end="")
    if r.returncode:
        sys.exit("%s failed" % (cmd,))
    return r.stdout


def edit(name, change):
    text = open(name).read()
    with open(name, "w") as f:
        f.write(change(text))


e, s, u, nouns, risk, _, after = wanted.wanted(n)
unit = "%s:%s/%s" % (e, u["cell"], s)
serial = json.loads(run("trellis", "state", "show", unit))["serial"]
edit("services/%s/env/%s.toml" % (s, e), lambda t: gen.unit_text(u))
for noun in nouns:
    edit("policies/registry/%s.toml" % gen.SERVICES[s], lambda t: t.replace("nouns = [\n", 'nouns = [\n  "%s",\n' % noun))
if n == 4:
    edit("policies/reach/workorders.toml", lambda t: t.replace("]", ', "tariff"]') if '"' in t.split("[")[1] else t.replace("]", '"tariff"]'))
row = r"(\[%s\]\ntotal = )(\d+)\nused = \d+\nspare = \d+" % u["cell"]
used = gen.used(after, e, u["cell"])
edit("environments/%s/ledger.toml" % e, lambda t: re.sub(row, lambda m: "%s%s\nused = %d\nspare = %d" % (m[1], m[2], used, int(m[2]) - used), t))
with open("changes/next/%s.toml" % s, "w") as f:
    f.write('unit = "%s"\nundo_to = %d\nrisk = "%s"\n' % (unit, serial, risk))
run("trellis", "pin", "services/" + s)
steps = int(re.search(r"(\d+) steps", run("trellis", "plan", unit))[1])
run("git", "add", "-A")
run("git", "commit", "-q", "-m", "Change " + unit)
run("trellis", "window", e, "open")
for w in range(1, -(-steps // 3) + 1):
    run("trellis", "apply", "plans/%s-%s-%s.plan" % (e, u["cell"], s), "--wave", str(w))
