"""trellis: plan and apply for the units of the grid platform."""
import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib

ROOT = os.environ.get("TRELLIS_ROOT") or os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
STATE = os.path.join(ROOT, ".trellis", "state.json")
BURST = 3
RISKS = ("low", "mid", "high")
DERIVED = ("refresh mesh", "refresh names", "refresh meter")


class Stop(Exception):
    pass


def path(*p):
    return os.path.join(ROOT, *p)


def toml(*p):
    try:
        with open(path(*p), "rb") as f:
            return tomllib.load(f)
    except tomllib.TOMLDecodeError as e:
        raise Stop("%s: %s" % ("/".join(p), e))


def sha(x):
    return hashlib.sha256(x if isinstance(x, bytes) else json.dumps(x, sort_keys=True).encode()).hexdigest()


def load():
    with open(STATE) as f:
        doc = json.load(f)
    if sha(["penrose", doc["data"]]) != doc["sum"]:
        raise Stop("state: sum does not match")
    return doc["data"]


def save(data):
    os.makedirs(os.path.dirname(STATE), exist_ok=True)
    with open(STATE + ".new", "w") as f:
        json.dump({"sum": sha(["penrose", data]), "data": data}, f)
    os.replace(STATE + ".new", STATE)


# ------------------------------------------------------------ units

def flat(cfg):
    """A unit's file as one table: key -> value, with a key for each named thing."""
    out = {}
    for k, v in cfg.items():
        if isinstance(v, dict):
            out.update({"%s.%s" % (k, i): x for i, x in v.items()})
        elif isinstance(v, list):
            for x in v:
                out["%s[%s]" % (k, x.get("name"))] = {i: y for i, y in x.items() if i != "name"}
        else:
            out[k] = v
    return out


def digests(service):
    d = path("services", service)
    names = ["service.toml"] + sorted("env/" + n for n in os.listdir(os.path.join(d, "env")))
    return {n: sha(open(os.path.join(d, n), "rb").read())[:12] for n in names}


def weight(cfg):
    w = toml("modules", cfg["module"], "versions", cfg["version"] + ".toml")["weight"]
    return cfg["replicas"] * w + len(cfg.get("queue", [])) * toml("policies", "capacity.toml")["queue"]


def ledger(state, env, cell):
    used = 0
    for s in os.listdir(path("services")):
        if os.path.exists(path("services", s, "env", env + ".toml")):
            cfg = toml("services", s, "env", env + ".toml")
            if cfg["cell"] == cell:
                used += weight(cfg)
    row = toml("environments", env, "ledger.toml").get(cell, {})
    total = state["cells"]["%s/%s" % (env, cell)]
    if row != {"total": total, "used": used, "spare": total - used} or used > total:
        raise Stop("plan: %s: out of balance" % cell)


def plan(argv):
    if len(argv) != 1 or argv[0].startswith("-"):
        raise Stop("usage: trellis plan UNIT")
    state, unit = load(), argv[0]
    if unit not in state["units"]:
        raise Stop("plan: %s: no unit" % unit)
    env, cell, service = re.fullmatch(r"(\w+):(\w+)/([\w-]+)", unit).groups()
    with open(path("services", service, "pins.json")) as f:
        pins = json.load(f)
    for n, d in digests(service).items():
        if pins.get(n) != d:
            raise Stop("plan: %s: %s digest mismatch" % (unit, n))
    cfg = toml("services", service, "env", env + ".toml")
    inputs = toml("modules", cfg["module"], "versions", str(cfg["version"]) + ".toml")["limits"]
    if sorted(cfg.get("limits", {})) != sorted(inputs):
        raise Stop("plan: %s: limits are %s for %s %s" % (unit, ", ".join(inputs), cfg["module"], cfg["version"]))
    if cfg["cell"] != cell:
        raise Stop("plan: %s: units do not move" % unit)
    for r in cfg.get("route", []):
        if service not in toml("policies", "reach", r["to"] + ".toml")["admit"]:
            raise Stop("plan: %s: %s does not admit it" % (unit, r["to"]))
    ledger(state, env, cell)
    have, want = state["units"][unit]["config"], flat(cfg)
    steps = ["%s %s" % ("add" if k not in have else "drop" if k not in want else "set", k) for k in sorted(set(have) | set(want)) if have.get(k) != want.get(k)]
    if not steps:
        print("%s: nothing to do" % unit)
        return 0
    steps += DERIVED
    doc = {"unit": unit, "from": state["units"][unit]["serial"], "want": sha(want)[:16], "steps": steps}
    name = "plans/%s-%s-%s.plan" % (env, cell, service)
    with open(path(name), "w") as f:
        json.dump(doc, f, indent=1)
        f.write("\n")
    for s in steps:
        print("  " + s)
    print("%d steps, written to %s" % (len(steps), name))
    return 0


def names(service, have, want):
    """New names are in the registry of the team."""
    team = toml("services", service, "service.toml")["team"]
    known = toml("policies", "registry", team + ".toml")["nouns"]
    for k in want:
        m = re.fullmatch(r"(\w+)\[(.*)\]", k)
        if m and k not in have:
            parts = m[2].split(".")
            if parts[:2] != [team, service] or len(parts) != 3 or parts[2] not in known:
                raise Stop("apply: %s: not registered" % m[2])


def apply(argv):
    wave = None
    if "--wave" in argv[:-1]:
        i = argv.index("--wave")
        wave = argv[i + 1]
        argv = argv[:i] + argv[i + 2:]
    if len(argv) != 1 or argv[0].startswith("-"):
        raise Stop("usage: trellis apply PLAN [--wave N]")
    name = os.path.relpath(os.path.realpath(argv[0]), os.path.realpath(ROOT))
    try:
        text = open(path(name)).read()
        doc = json.loads(text)
        unit = doc["unit"]
    except (OSError, ValueError, KeyError):
        raise Stop("apply: %s: no plan" % argv[0])
    r = subprocess.run(["git", "-C", ROOT, "show", "HEAD:" + name], capture_output=True, text=True)
    if r.returncode or r.stdout != text:
        raise Stop("apply: %s: not on record" % name)
    state = load()
    env, cell, service = re.fullmatch(r"(\w+):(\w+)/([\w-]+)", unit).groups()
    u = state["units"][unit]
    want = flat(toml("services", service, "env", env + ".toml"))
    if doc["from"] != u["serial"] or doc["want"] != sha(want)[:16]:
        raise Stop("apply: %s: stale" % name)
    if state["open"] != env:
        raise Stop("apply: %s is shut" % env)
    names(service, u["config"], want)
    steps = doc["steps"]
    waves = -(-len(steps) // BURST)
    if wave is None:
        raise Stop("apply: %d steps, burst %d" % (len(steps), BURST))
    begun = u.get("waves") or [doc["want"], 0]
    done = begun[1] if begun[0] == doc["want"] else 0
    if wave != str(done + 1):
        raise Stop("apply: wave %s: the next one is %d" % (wave, done + 1))
    for s in steps[done * BURST:(done + 1) * BURST]:
        print("  done: " + s)
    u["waves"] = [doc["want"], done + 1]
    if done + 1 == waves:
        u.pop("waves")
        u["config"], u["serial"] = want, u["serial"] + 1
        state["open"] = None
        print("%s is at serial %d; %s shut" % (unit, u["serial"], env))
    else:
        print("wave %d of %d" % (done + 1, waves))
    save(state)
    return 0


def pin(argv):
    service = os.path.basename(os.path.normpath(argv[0])) if len(argv) == 1 else ""
    if not service or not os.path.isdir(path("services", service)):
        raise Stop("usage: trellis pin services/NAME")
    with open(path("services", service, "pins.json"), "w") as f:
        json.dump(digests(service), f, indent=1)
        f.write("\n")
    return 0


def window(argv):
    state = load()
    if len(argv) != 2 or argv[0] not in ("dev", "stage", "prod") or argv[1] not in ("open", "shut"):
        raise Stop("usage: trellis window ENV open|shut")
    state["open"] = argv[0] if argv[1] == "open" else None
    save(state)
    print("%s %s" % (argv[0], argv[1]))
    return 0


def state_cmd(argv):
    units = load()["units"]
    if argv[:1] == ["ls"] and len(argv) <= 2:
        for u in sorted(units):
            if len(argv) == 1 or argv[1] in u:
                print("%-28s serial %d" % (u, units[u]["serial"]))
        return 0
    if argv[:1] == ["show"] and len(argv) == 2:
        if argv[1] not in units:
            raise Stop("state: %s: no unit" % argv[1])
        print(json.dumps(units[argv[1]], indent=1, sort_keys=True))
        return 0
    raise Stop("usage: trellis state ls [TEXT] | trellis state show UNIT")


def precommit(argv):
    """Changes of a unit carry the way back."""
    git = lambda *a: subprocess.run(("git", "-C", ROOT) + a, capture_output=True, text=True)
    units, bad = load()["units"], 0
    for p in git("diff", "--cached", "--name-only").stdout.split():
        m = re.fullmatch(r"services/([\w-]+)/env/(\w+)\.toml", p)
        if not m:
            continue
        try:
            note = tomllib.loads(git("show", ":changes/next/%s.toml" % m[1]).stdout)
        except tomllib.TOMLDecodeError:
            note = {}
        unit = note.get("unit", "")
        if not (unit in units and unit.startswith(m[2] + ":") and unit.endswith("/" + m[1]) and note.get("undo_to") == units[unit]["serial"] and note.get("risk") in RISKS):
            print("pre-commit: %s: no way back" % m[1], file=sys.stderr)
            bad = 1
    return bad


MORE = {"plan": "trellis plan UNIT\n  Compares the unit's file with the state and writes a plan.",
        "apply": "trellis apply PLAN [options]\n  Carries out a plan of record.",
        "state": "trellis state ls [TEXT] | trellis state show UNIT",
        "pin": "trellis pin services/NAME\n  Takes the digests of a service anew.",
        "window": "trellis window ENV open|shut"}


def usage(argv):
    if argv and argv[0] in MORE:
        print(MORE[argv[0]])
    elif argv:
        raise Stop("help: plan, apply, state, pin, window")
    else:
        print("trellis 3.9\n  trellis plan UNIT\n  trellis apply PLAN\n  trellis state ...\n  trellis help COMMAND")
    return 0


COMMANDS = {"plan": plan, "apply": apply, "state": state_cmd, "pin": pin, "window": window, "_commit": precommit, "help": usage, "--help": usage, "-h": usage}


def main(argv):
    try:
        if not argv:
            return usage([])
        if argv[0] not in COMMANDS:
            raise Stop("%s: no such command (plan, apply, state, pin, window, help)" % argv[0])
        if argv[1:2] == ["--help"]:
            return usage(argv[:1])
        return COMMANDS[argv[0]](argv[1:])
    except Stop as e:
        print(str(e) if str(e).startswith("usage") else "trellis: " + str(e), file=sys.stderr)
        return 1
    except FileNotFoundError as e:
        print("trellis: %s: not found" % os.path.relpath(e.filename or "?", ROOT), file=sys.stderr)
        return 1
    except (KeyError, TypeError, AttributeError) as e:
        print("trellis: %s: cannot be read (%s)" % (argv[-1], e), file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
