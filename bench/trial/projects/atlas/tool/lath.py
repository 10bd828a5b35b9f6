"""lath, plumb, reeve, cellmap: the programs of the atlas (one file, four names)."""
import hashlib
import json
import os
import re
import subprocess
import sys

PROG = os.path.basename(sys.argv[0])
ROOT = os.environ.get("LATH_ROOT") or os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
STATE = os.path.join(ROOT, ".lath", "state.json")
ENVS = ("bench", "trial", "prod")
REGIONS = ("nw1", "se2", "ap3", "ca4")


class Refused(Exception):
    pass


def refuse(code, text):
    raise Refused("%s: %s: %s" % (PROG, code, text))


def digest(s):
    return hashlib.sha256(("lath" + json.dumps(s, sort_keys=True)).encode()).hexdigest()


def load():
    with open(STATE) as f:
        doc = json.load(f)
    if digest(doc["state"]) != doc["digest"]:
        refuse("L01", "the state was changed by hand")
    return doc["state"]


def save(s):
    os.makedirs(os.path.dirname(STATE), exist_ok=True)
    with open(STATE + ".new", "w") as f:
        json.dump({"digest": digest(s), "state": s}, f, indent=1, sort_keys=True)
    os.replace(STATE + ".new", STATE)


# ------------------------------------------------------------ plain files

def rows(path):
    """Lines of a plain file as lists of words; # starts a remark."""
    with open(os.path.join(ROOT, path)) as f:
        for line in f:
            line = line.split("#", 1)[0].strip()
            if line:
                yield line.split()


def parse_unit(text):
    """A unit as a flat dict: link:NAME and set:KEY are keys of their own."""
    u = {}
    for line in text.splitlines():
        w = line.split("#", 1)[0].split()
        if not w:
            continue
        if w[0] == "link":
            name, _, port = w[1].partition(":")
            u["link:" + name] = port
        elif w[0] == "set":
            u["set:" + w[1]] = " ".join(w[3:])
        else:
            u[w[0]] = " ".join(w[1:])
    return u


def unit_path(t):
    unit, region, env = t
    return "units/%s/%s/%s.unit" % (env, region, unit)


def name(t):
    return "%s@%s.%s" % t


def read_unit(t):
    p = os.path.join(ROOT, unit_path(t))
    if not os.path.exists(p):
        return None
    with open(p) as f:
        return parse_unit(f.read())


def target(s):
    m = re.fullmatch(r"([a-z][a-z0-9-]*)@([a-z]+\d)\.([a-z]+)", s)
    if not m or m[2] not in REGIONS or m[3] not in ENVS:
        refuse("L04", "target %r cannot be read" % s)
    return (m[1], m[2], m[3])


def cell(s):
    m = re.fullmatch(r"([a-z]+\d)\.([a-z]+)", s)
    if not m or m[1] not in REGIONS or m[2] not in ENVS:
        refuse("L04", "cell %r cannot be read" % s)
    return (m[1], m[2])


def cell_units(region, env):
    d = os.path.join(ROOT, "units", env, region)
    out = {}
    for n in sorted(os.listdir(d)) if os.path.isdir(d) else []:
        if n.endswith(".unit"):
            out[n[:-5]] = read_unit((n[:-5], region, env))
    return out


def map_text(region, env):
    out = ["# drawn by cellmap, not by hand", "cell      %s %s" % (env, region)]
    for n, u in cell_units(region, env).items():
        s = hashlib.sha256(json.dumps(u, sort_keys=True).encode()).hexdigest()[:10]
        out.append("unit      %-18s %-6s %-16s x%-3s %s" % (n, u.get("port", "-"), u.get("module", "-"), u.get("replicas", "-"), s))
    return "\n".join(out) + "\n"


def map_path(region, env):
    return "maps/%s-%s.map" % (env, region)


def map_fresh(region, env):
    p = os.path.join(ROOT, map_path(region, env))
    return os.path.exists(p) and open(p).read() == map_text(region, env)


def changes(old, new):
    old, new = old or {}, new or {}
    return {k: [old.get(k), new.get(k)] for k in sorted(set(old) | set(new)) if old.get(k) != new.get(k)}


def table(path, key):
    return {r[1]: r[2:] for r in rows(path) if r[0] == key}


def options(argv, known):
    args, opts, i = [], {}, 0
    while i < len(argv):
        a = argv[i]
        if a.startswith("--"):
            k, eq, v = a[2:].partition("=")
            if k not in known:
                refuse("L02", "option --%s" % k)
            if not eq:
                i += 1
                if i >= len(argv):
                    refuse("L02", "option --%s has no value" % k)
                v = argv[i]
            opts[k] = v
        else:
            args.append(a)
        i += 1
    return args, opts


def nextid(s, kind):
    s["next"][kind] += 1
    return "%s-%04d" % (kind, s["next"][kind])


# ------------------------------------------------------------ lath

def lath_units(argv):
    args, o = options(argv, ("env", "region", "keeper", "module"))
    for env in ENVS:
        for region in REGIONS:
            if o.get("env", env) != env or o.get("region", region) != region:
                continue
            for n, u in cell_units(region, env).items():
                if o.get("keeper", u.get("keeper")) == u.get("keeper") and u.get("module", "").startswith(o.get("module", "")):
                    print("%-6s %-4s %-18s %-12s %-16s x%s" % (env, region, n, u.get("keeper"), u.get("module"), u.get("replicas")))


def lath_plan(argv):
    args, o = options(argv, ())
    if not args:
        refuse("L03", "plan what?")
    s = load()
    ts = [target(a) for a in args]
    if len({t[2] for t in ts}) > 1:
        refuse("L06", "more than one environment")
    for c in sorted({t[1:] for t in ts}):
        if not map_fresh(*c):
            refuse("L12", "the map of %s.%s is behind" % c)
    items = {}
    for t in ts:
        new, old = read_unit(t), s["applied"].get(name(t))
        if new is None and old is None:
            refuse("L05", "no unit %s" % name(t))
        ch = changes(old, new)
        if not ch:
            refuse("L08", "%s: no difference" % name(t))
        items[name(t)] = {"new": new, "changes": ch, "kind": "open" if old is None else "close" if new is None else "change"}
    pid = nextid(s, "pl")
    s["plans"][pid] = {"env": ts[0][2], "items": items}
    save(s)
    for t, it in items.items():
        print("%s %s" % (it["kind"], t))
        for k, (a, b) in it["changes"].items():
            print("  %-16s %s -> %s" % (k, a if a is not None else "-", b if b is not None else "-"))
    print("plan %s" % pid)


def keeper_of(s, t, it):
    u = it["new"] or s["applied"].get(t) or {}
    return u.get("keeper")


def lath_stage(argv):
    args, o = options(argv, ("cause",))
    s = load()
    if len(args) != 1 or args[0] not in s["plans"]:
        refuse("L03", "stage which plan?")
    p = s["plans"][args[0]]
    for t, it in p["items"].items():
        if read_unit(target(t)) != it["new"]:
            refuse("L14", "%s is older than %s" % (args[0], t))
    if "cause" not in o:
        refuse("L30", "%s has no cause" % args[0])
    if o["cause"] not in table("policies/causes.tbl", "cause"):
        refuse("L30", "cause %r is not on the list" % o["cause"])
    for t, it in p["items"].items():
        if it["new"] is not None and s["slips"].get(t) != it["new"]:
            refuse("L25", "%s is not plumbed as it stands" % t)
    for t in p["items"]:
        c = t.split("@")[1]
        if c not in s["bolts"]:
            refuse("L21", "%s is not bolted" % c)
    if p["env"] == "prod":
        for t, it in p["items"].items():
            tt = t.replace(".prod", ".trial")
            keys = list(it["changes"]) if it["kind"] == "change" else ["unit"]
            if [k for k in keys if k not in s["settled"].get(tt, [])]:
                if [k for k in keys if k not in s["tried"].get(tt, [])]:
                    refuse("L55", "%s: not seen in trial" % t)
                refuse("L55", "%s: trial has not settled" % t)
    sid = nextid(s, "st")
    s["stages"][sid] = {"plan": args[0], "cause": o["cause"], "seconds": [], "state": "staged", "env": p["env"]}
    save(s)
    print("staged %s as %s" % (args[0], sid))


def wanted_seconds(s, st):
    tab = table("policies/seconds.tbl", "second")
    p = s["plans"][st["plan"]]
    return sorted({tab[keeper_of(s, t, it)][0] for t, it in p["items"].items()})


def stage_of(s, args):
    if len(args) != 1 or args[0] not in s["stages"]:
        refuse("L03", "which stage?")
    return s["stages"][args[0]]


def lath_apply(argv):
    args, o = options(argv, ())
    s = load()
    st = stage_of(s, args)
    p = s["plans"][st["plan"]]
    if st["state"] != "staged":
        refuse("L40", "%s is %s" % (args[0], st["state"]))
    for t, it in p["items"].items():
        if read_unit(target(t)) != it["new"]:
            refuse("L14", "%s is older than %s" % (st["plan"], t))
        if t.split("@")[1] not in s["bolts"]:
            refuse("L21", "%s is not bolted" % t.split("@")[1])
    if p["env"] == "prod" and [g for g in wanted_seconds(s, st) if g not in st["seconds"]]:
        refuse("L42", "%s lacks a second" % args[0])
    for t, it in p["items"].items():
        if it["new"] is None:
            s["applied"].pop(t, None)
        else:
            s["applied"][t] = it["new"]
        s["tried"][t] = sorted(set(s["tried"].get(t, [])) | set(it["changes"]))
    st["state"] = "applied"
    s["log"].append("%s applied to %s (%s): %s" % (args[0], p["env"], st["cause"], " ".join(sorted(p["items"]))))
    save(s)
    print("applied %s: %d units" % (args[0], len(p["items"])))
    print("bolts still on: %s" % " ".join(sorted(s["bolts"])))


def lath_settle(argv):
    args, o = options(argv, ())
    s = load()
    st = stage_of(s, args)
    if st["state"] != "applied":
        refuse("L40", "%s is %s" % (args[0], st["state"]))
    for t, it in s["plans"][st["plan"]]["items"].items():
        s["settled"][t] = sorted(set(s["settled"].get(t, [])) | set(it["changes"]))
    s["log"].append("%s settled" % args[0])
    save(s)
    print("counters of %s are level: settled" % args[0])


def lath_bolt(argv):
    args, o = options(argv, ())
    s = load()
    if args[:1] == ["list"] or not args:
        print("\n".join(sorted(s["bolts"])) or "no bolts")
        return
    if args[0] not in ("take", "free") or len(args) < 2:
        refuse("L03", "bolt take|free|list CELL...")
    for a in args[1:]:
        c = "%s.%s" % cell(a)
        if args[0] == "take":
            if c in s["bolts"]:
                refuse("L22", "%s is bolted already" % c)
            s["bolts"].append(c)
        else:
            if c not in s["bolts"]:
                refuse("L22", "%s is not on" % c)
            s["bolts"].remove(c)
    save(s)
    print("bolts: %s" % (" ".join(sorted(s["bolts"])) or "none"))


def lath_show(argv):
    s = load()
    x = s["stages"].get(argv[0] if argv else "") or s["plans"].get(argv[0] if argv else "")
    if not x:
        refuse("L03", "show which plan or stage?")
    print(json.dumps(x, indent=1))


def lath_log(argv):
    print("\n".join(load()["log"]) or "nothing yet")


def lath_hook(argv):
    if argv[0] != "commit-msg":
        return
    with open(argv[1]) as f:
        subject = f.readline().strip()
    if subject.startswith("Merge "):
        return
    def reach(base):
        out = subprocess.run(["git", "diff", "--cached", "--name-only", "--no-renames", base], capture_output=True, text=True).stdout
        return len([p for p in out.split("\n") if p.startswith("units/") and p.endswith(".unit")])
    n = reach("HEAD")
    m = re.match(r"\[r(\d+)\] \S", subject)
    if not m:
        raise Refused("commit-msg: G07: the subject does not tell the reach")
    if int(m[1]) != n and int(m[1]) != reach("HEAD~1"):  # the second for --amend
        raise Refused("commit-msg: G07: reach said %s, counted %d" % (m[1], n))


# ------------------------------------------------------------ plumb

def yard_for(o, env):
    own = {r[0]: r[1] for r in rows("envs/%s.env" % env)}["yard"]
    if "yard" not in o:
        refuse("P11", "nothing to measure with")
    if o["yard"] != own:
        refuse("P11", "%r does not measure %s" % (o["yard"], env))
    y = {}
    for r in rows("policies/yards/%s.yard" % own):
        if len(r) == 3:
            y.setdefault(r[0], {})[r[1]] = r[2]
    return y


NEED = ("unit", "keeper", "module", "tier", "replicas", "memory", "port", "backup")


def findings(t, u, yard):
    out = [("%s is missing" % k) for k in NEED if k not in u]
    if out:
        return out
    unit, region, env = t
    if u["unit"] != unit:
        out.append("unit is called %s" % u["unit"])
    if u["keeper"] not in table("policies/seconds.tbl", "second"):
        out.append("keeper %s is not known" % u["keeper"])
    if not re.fullmatch(r"\d+", u["replicas"]) or not re.fullmatch(r"\d+", u["memory"]) or not re.fullmatch(r"\d+", u["port"]):
        return out + ["replicas, memory and port are whole numbers"]
    low = int(yard.get("replicas", {}).get(u["tier"], 1))
    if int(u["replicas"]) < low:
        out.append("replicas %s, %s wants %d" % (u["replicas"], u["tier"], low))
    step = int(yard.get("memory", {}).get("step", 1))
    if int(u["memory"]) % step:
        out.append("memory %s is not a multiple of %d" % (u["memory"], step))
    want = yard.get("backup", {}).get(u["tier"])
    if want and u["backup"] != want:
        out.append("backup %s, %s wants %s" % (u["backup"], u["tier"], want))
    mod, _, ver = u["module"].partition("@")
    mp = "modules/%s/v%s.mod" % (mod, ver)
    if not os.path.exists(os.path.join(ROOT, mp)):
        out.append("module %s does not exist" % u["module"])
    else:
        sets = {r[1]: r[2] for r in rows(mp) if r[0] == "set"}
        have = {k[4:]: v for k, v in u.items() if k.startswith("set:")}
        out += ["set %s is not of %s" % (k, u["module"]) for k in sorted(have) if k not in sets]
        out += ["set %s is wanted by %s" % (k, u["module"]) for k in sorted(sets) if k not in have]
        for k in sorted(have):
            if k in sets:
                a, b = sets[k].split("..")
                if not re.fullmatch(r"\d+", have[k]) or not int(a) <= int(have[k]) <= int(b):
                    out.append("set %s = %s is out of %s" % (k, have[k], sets[k]))
    peers = cell_units(region, env)
    for k, v in sorted(u.items()):
        if k.startswith("link:"):
            p = peers.get(k[5:])
            if p is None:
                out.append("link to %s, which is not in the cell" % k[5:])
            elif p.get("port") != v:
                out.append("link to %s:%s, it listens on %s" % (k[5:], v, p.get("port")))
    for n, p in peers.items():
        if n != unit and p.get("port") == u["port"]:
            out.append("port %s is that of %s" % (u["port"], n))
    return out


def plumb_check(argv):
    args, o = options(argv, ("yard",))
    if not args:
        refuse("L03", "check what?")
    ts = [target(a) for a in args]
    s, bad = load(), 0
    for t in ts:
        u = read_unit(t)
        if u is None:
            refuse("L05", "no unit %s" % name(t))
        f = findings(t, u, yard_for(o, t[2]))
        for x in f:
            print("finding %s %s %s: %s" % (t[2], t[1], t[0], x))
        bad += len(f)
        if not f:
            s["slips"][name(t)] = u
            print("plumb %s" % name(t))
    save(s)
    return 1 if bad else 0


def plumb_sweep(argv):
    args, o = options(argv, ("yard",))
    if len(args) != 1 or args[0] not in ENVS:
        refuse("L03", "sweep which environment?")
    y, n, bad = yard_for(o, args[0]), 0, 0
    for region in REGIONS:
        for unit, u in cell_units(region, args[0]).items():
            n += 1
            for x in findings((unit, region, args[0]), u, y):
                bad += 1
                print("finding %s %s %s: %s" % (args[0], region, unit, x))
    print("%d units, %d findings" % (n, bad))
    return 1 if bad else 0


# ------------------------------------------------------------ reeve, cellmap

def reeve_second(argv):
    args, o = options(argv, ("guild",))
    s = load()
    st = stage_of(s, args)
    if "guild" not in o:
        refuse("R02", "who seconds?")
    if st["state"] != "staged":
        refuse("R04", "%s is %s" % (args[0], st["state"]))
    want = wanted_seconds(s, st)
    if o["guild"] not in want:
        refuse("R03", "%s is not for %s to second" % (args[0], o["guild"]))
    if o["guild"] not in st["seconds"]:
        st["seconds"].append(o["guild"])
    save(s)
    print("%s seconded by %s (%d of %d)" % (args[0], o["guild"], len(st["seconds"]), len(want)))


def reeve_list(argv):
    s = load()
    for k, st in sorted(s["stages"].items()):
        print("%s %-8s %-6s seconds: %s" % (k, st["state"], st["env"], " ".join(st["seconds"]) or "-"))
    if not s["stages"]:
        print("no stages")


def cellmap_draw(argv):
    args, o = options(argv, ())
    if not args:
        refuse("L03", "draw which cell?")
    for c in [cell(a) for a in args]:
        with open(os.path.join(ROOT, map_path(*c)), "w") as f:
            f.write(map_text(*c))
        print("drawn %s" % map_path(*c))


def cellmap_list(argv):
    for env in ENVS:
        for region in REGIONS:
            print("%-6s %-4s %s" % (env, region, "fresh" if map_fresh(region, env) else "behind"))


EXPLAIN = {
    "L01": "The state belongs to lath. Set the workspace up again.",
    "L04": "Targets and cells are read from the small to the large, as on an envelope. See the page on addresses.",
    "L06": "A plan stays in one environment. Make one for each.",
    "L08": "What is in the file is what runs.",
    "L12": "Every cell has a map, drawn by cellmap from its units. lath plans only where the map is as new as the units.",
    "L14": "The files moved on after the plan. Plan again.",
    "L21": "Whoever works in a cell bolts it (lath bolt), so that no two stages meet. Take the bolt off afterwards.",
    "L25": "A unit goes on the stage as plumb last saw it, without findings.",
    "L30": "A stage says what it is for, with --cause. The words are in the policies.",
    "L42": "Work in prod is seconded with reeve by the guild that looks at the keeper's work. One second per guild.",
    "L55": "prod takes a change after trial has taken the same and its counters were read (lath settle).",
    "P11": "plumb measures with a yard (--yard). Each environment names its own.",
    "R03": "Nobody seconds at will: the table of seconds in the policies says which guild looks at whose work.",
    "G07": "The history page tells how a subject begins.",
}


def explain(argv):
    if argv and argv[0] in EXPLAIN:
        print("%s  %s" % (argv[0], EXPLAIN[argv[0]]))
    else:
        print("codes: " + " ".join(sorted(EXPLAIN)))


PROGRAMS = {
    "lath": ("plans and applies units", {
        "units": (lath_units, "[--env E] [--region R] [--keeper K] [--module M]  list units"),
        "plan": (lath_plan, "TARGET...   what differs from what runs"),
        "stage": (lath_stage, "PLAN        put a plan on the stage"),
        "apply": (lath_apply, "STAGE       make it run"),
        "settle": (lath_settle, "STAGE       read the counters after an apply"),
        "bolt": (lath_bolt, "take|free|list [CELL...]"),
        "show": (lath_show, "PLAN|STAGE  print it"),
        "log": (lath_log, "            what was applied here"),
        "explain": (explain, "CODE        a word more about a refusal")}),
    "plumb": ("measures units", {
        "check": (plumb_check, "TARGET...   measure units, leave a slip"),
        "sweep": (plumb_sweep, "ENV         measure all units of an environment"),
        "explain": (explain, "CODE        a word more about a refusal")}),
    "reeve": ("keeps the reviews", {
        "second": (reeve_second, "STAGE --guild GUILD"),
        "list": (reeve_list, "            the stages and their seconds"),
        "explain": (explain, "CODE        a word more about a refusal")}),
    "cellmap": ("draws the maps of the cells", {
        "draw": (cellmap_draw, "CELL...     draw maps/*.map again"),
        "list": (cellmap_list, "            which maps are behind")}),
}


def main(argv):
    what, cmds = PROGRAMS[PROG]
    try:
        if argv[:1] == ["hook"] and PROG == "lath":
            lath_hook(argv[1:])
            return 0
        if not argv or argv[0] in ("-h", "--help", "help") or argv[-1] in ("-h", "--help"):
            print("%s - %s\n" % (PROG, what))
            for k, (_, h) in cmds.items():
                if not (len(argv) > 1 and argv[0] in cmds and argv[0] != k):
                    print("  %s %-8s %s" % (PROG, k, h))
            return 0
        if argv[0] not in cmds:
            refuse("L03", "no command %r" % argv[0])
        return cmds[argv[0]][0](argv[1:]) or 0
    except Refused as e:
        print(e, file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
