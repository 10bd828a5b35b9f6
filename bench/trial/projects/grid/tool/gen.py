"""Writes the files of the repository (deterministic). world() gives the tables they are made from."""
import os
import random

TEAMS = {"fin": ("Finance systems", "S Achterberg"), "mtr": ("Metering", "L Quist"), "grd": ("Grid operations", "P Okonjo"), "cus": ("Customer", "H Farrow"), "plt": ("Platform", "R Vantongeren"), "fld": ("Field work", "D Szabo")}
SERVICES = {"billing": "fin", "invoice-print": "fin", "ledger": "fin", "dunning": "fin", "metering": "mtr", "intake": "mtr", "meter-sync": "mtr", "readings-api": "mtr",
            "tariff": "grd", "settle": "grd", "forecast": "grd", "dispatch": "grd", "outage-map": "grd", "notify": "cus", "portal": "cus", "accounts": "cus", "faxgate": "cus",
            "auth": "plt", "audit": "plt", "scheduler": "plt", "objectstore": "plt", "crew-app": "fld", "workorders": "fld", "geo": "fld"}
MODULES = ["stateless-http", "worker", "stateful-store", "cron", "edge-proxy", "cache", "stream", "batch", "mesh-gate", "static-site", "blob", "timer"]
VERSIONS = ["2.2", "2.3", "2.4"]
QUEUES = ["inbound", "outbound", "retry", "dead", "bulk", "audit-trail"]
ALERTS = ["slow", "errors", "backlog", "silent", "disk"]
SIGNALS = {"slow": "p95_ms", "errors": "error_pct", "backlog": "queue_len", "silent": "idle_min", "disk": "disk_pct"}
PURPOSE = ["takes in", "matches", "prints", "keeps", "forwards", "sums up", "checks", "publishes"]
THINGS = ["meter readings", "customer records", "payments", "work orders", "price curves", "outage reports", "letters", "load profiles"]
ENVS = ("dev", "stage", "prod")


def world():
    rnd = random.Random("penrose-grid")
    units = {}
    names = list(SERVICES)
    for i, (s, team) in enumerate(SERVICES.items()):
        module = MODULES[(i * 5) % 6]
        routes = rnd.sample([n for n in names if n != s], 2)
        queues, alerts = rnd.sample(QUEUES, 2), rnd.sample(ALERTS, 2)
        cells = rnd.sample(["c1", "c2", "c3", "c4"], 3)
        for e, env in enumerate(ENVS):
            units[env, s] = {"cell": cells[e], "module": module, "version": "2.3", "replicas": [1, 2, 4][e] + rnd.randrange(2), "limits": {"memory_mb": rnd.choice([256, 512]), "idle_s": rnd.choice([20, 30, 45])},
                             "queue": [{"name": "%s.%s.%s" % (team, s, q), "depth": rnd.choice([200, 500, 800])} for q in queues],
                             "route": [{"name": "%s.%s.to-%s" % (team, s, r), "to": r, "port": rnd.choice([7080, 7443, 8090])} for r in routes],
                             "alert": [{"name": "%s.%s.%s" % (team, s, a), "signal": SIGNALS[a], "above": rnd.choice([5, 40, 90]), "page": team} for a in alerts]}
    units["prod", "billing"].update(replicas=4, limits={"memory_mb": 512, "idle_s": 30})
    units["stage", "notify"].update(module="stateless-http", replicas=3, limits={"memory_mb": 256, "idle_s": 45})
    units["dev", "faxgate"].update(replicas=2)
    for env in ENVS:
        units[env, "crew-app"]["route"] = [{"name": "fld.crew-app.to-workorders", "to": "workorders", "port": 7443}, {"name": "fld.crew-app.to-geo", "to": "geo", "port": 7080}]
        units[env, "tariff"]["route"] = [r for r in units[env, "tariff"]["route"] if r["to"] != "settle"] or [{"name": "grd.tariff.to-forecast", "to": "forecast", "port": 7443}]
    return units


def weight_of(module, version):
    return 2 + MODULES.index(module) % 2 + (1 if version == "2.4" else 0)


def limits_of(version):
    return ["memory_mb", "linger_s"] if version == "2.4" else ["memory_mb", "idle_s"]


def used(units, env, cell):
    return sum(u["replicas"] * weight_of(u["module"], u["version"]) + len(u["queue"]) for (e, s), u in units.items() if e == env and u["cell"] == cell)


def spare(env, cell):
    return {"dev": 14, "stage": 18, "prod": 26}[env] + int(cell[1])


def val(v):
    return '"%s"' % v if isinstance(v, str) else str(v)


def unit_text(u):
    out = ['%s = %s' % (k, val(u[k])) for k in ("cell", "module", "version", "replicas")] + ["", "[limits]"] + ["%s = %d" % x for x in u["limits"].items()]
    for kind in ("queue", "route", "alert"):
        for x in u[kind]:
            out += ["", "[[%s]]" % kind] + ["%s = %s" % (k, val(v)) for k, v in x.items()]
    return "\n".join(out) + "\n"


def nouns(units, team):
    return sorted({x["name"].split(".")[2] for (e, s), u in units.items() if SERVICES[s] == team for k in ("queue", "route", "alert") for x in u[k]})


def serial(env, s):
    return 11 + (sum(map(ord, env + s)) * 7) % 60


def files():
    units, rnd, f = world(), random.Random("texts"), {}
    for i, (s, team) in enumerate(SERVICES.items()):
        what = "%s %s and %s %s" % (PURPOSE[i % 8], THINGS[(i * 3) % 8], PURPOSE[(i + 3) % 8], THINGS[(i * 5 + 2) % 8])
        d = "services/%s/" % s
        f[d + "service.toml"] = 'name = "%s"\nteam = "%s"\ntier = %d\nlanguage = "%s"\npurpose = "%s"\n\n[source]\nrepository = "apps/%s"\nbranch = "main"\n' % (s, team, 1 + i % 3, rnd.choice(["java", "go", "python"]), what, s)
        for env in ENVS:
            f[d + "env/%s.toml" % env] = unit_text(units[env, s])
        f[d + "dashboard.toml"] = 'title = "%s"\nrefresh_s = %d\n\n[[panel]]\nkind = "line"\nsignal = "p95_ms"\n\n[[panel]]\nkind = "bar"\nsignal = "%s"\n' % (s, rnd.choice([15, 30, 60]), rnd.choice(list(SIGNALS.values())))
        f[d + "runbook.md"] = "# %s\n\nThe service %s. Owner: %s.\n\n## When it is slow\nLook at the dashboard, then at the %s queue. Restart one replica at a time. If %s is slow too, call %s.\n\n## When it is silent\nSee `runbooks/%02d-*.md`. %s\n" % (
            s, what, TEAMS[team][0], units["prod", s]["queue"][0]["name"], units["prod", s]["route"][0]["to"], TEAMS[SERVICES[units["prod", s]["route"][0]["to"]]][1], 1 + i % 20,
            rnd.choice(["Messages are kept for three days.", "Nothing is lost; the sender tries again.", "Tell the control room before a restart.", "It wakes up on its own after an hour."]))
    for m in MODULES:
        d = "modules/%s/" % m
        f[d + "module.toml"] = 'name = "%s"\nowner = "plt"\nlatest = "2.4"\nsupported = ["2.2", "2.3", "2.4"]\n' % m
        f[d + "README.md"] = "# Module %s\n\nRuns a service as %s. Versions are in `versions/`; services choose one in their unit files.\n" % (m, m.replace("-", " "))
        f[d + "defaults.toml"] = 'probe_s = %d\ndrain_s = %d\nuser = "svc"\nlog_level = "info"\n' % (rnd.choice([5, 10]), rnd.choice([20, 30, 60]))
        for v in VERSIONS:
            f[d + "versions/%s.toml" % v] = 'version = "%s"\nimage = "registry.penrose-grid.example/%s:%s.%d"\nweight = %d\nlimits = [%s]\n' % (v, m, v, rnd.randrange(9), weight_of(m, v), ", ".join('"%s"' % x for x in limits_of(v)))
    for env in ENVS:
        d = "environments/%s/" % env
        f[d + "env.toml"] = 'name = "%s"\nregion = "north-%d"\ncells = ["c1", "c2", "c3", "c4"]\nretention_days = %d\n' % (env, 1 + ENVS.index(env), [7, 14, 90][ENVS.index(env)])
        f[d + "ledger.toml"] = "\n".join("[%s]\ntotal = %d\nused = %d\nspare = %d\n" % (c, used(units, env, c) + spare(env, c), used(units, env, c), spare(env, c)) for c in ("c1", "c2", "c3", "c4"))
        f[d + "network.toml"] = "".join('[%s]\nrange = "10.%d.%d.0/24"\ngateway = "10.%d.%d.1"\n\n' % (c, 20 + ENVS.index(env), 10 * i, 20 + ENVS.index(env), 10 * i) for i, c in enumerate(("c1", "c2", "c3", "c4"), 1))
        f[d + "dns.toml"] = 'zone = "%s.penrose-grid.example"\nttl_s = %d\n\n[alias]\n' % (env, [30, 60, 300][ENVS.index(env)]) + "".join('%s = "%s.%s"\n' % (s, units[env, s]["cell"], s) for s in SERVICES)
        f[d + "contacts.md"] = "# %s\n\nQuestions: %s. %s\n" % (env, rnd.choice(list(TEAMS.values()))[1], ["Anyone may change things here.", "Tell the testers.", "Changes on working days."][ENVS.index(env)])
    for s in SERVICES:
        admit = sorted({x for (e, x), u in units.items() for r in u["route"] if r["to"] == s})
        f["policies/reach/%s.toml" % s] = 'service = "%s"\nadmit = [%s]\n' % (s, ", ".join('"%s"' % a for a in admit))
    for t in TEAMS:
        f["policies/registry/%s.toml" % t] = 'team = "%s"\nnouns = [\n%s]\n' % (t, "".join('  "%s",\n' % n for n in nouns(units, t)))
        f["teams/%s.toml" % t] = 'code = "%s"\nname = "%s"\nlead = "%s"\nchannel = "#%s"\n' % (t, *TEAMS[t], TEAMS[t][0].lower().replace(" ", "-"))
    f["policies/capacity.toml"] = "# what things weigh in a cell, besides the replicas of a module version\nqueue = 1\nroute = 0\nalert = 0\n"
    for n, text in (("retention", "logs_days = 30\nmetrics_days = 400\n"), ("tags", 'required = ["team", "tier"]\n'), ("ports", "open = [7080, 7443, 8090]\n"), ("images", 'sources = ["registry.penrose-grid.example"]\n'), ("access", 'groups = ["duty", "platform"]\nmfa = true\n')):
        f["policies/%s.toml" % n] = text
    topics = ["queue-backlog", "cell-loss", "dns-delay", "certificate-renewal", "disk-full", "slow-start", "clock-drift", "night-shift", "meter-storm", "print-jam", "cache-cold", "mesh-split", "login-flood", "stuck-timer", "region-switch", "replay", "data-request", "new-colleague", "power-test", "year-end"]
    for i, t in enumerate(topics, 1):
        a, b = rnd.sample(list(SERVICES), 2)
        f["runbooks/%02d-%s.md" % (i, t)] = "# %s\n\n1. See whether %s or %s shows it first.\n2. Write down the time and the cell.\n3. %s\n4. Tell %s.\n\nLast drill: %d %s 2030.\n" % (
            t.replace("-", " ").capitalize(), a, b, rnd.choice(["Wait five minutes; most of these pass.", "Take the unit out of the mesh and look at its logs.", "Ask the control room whether a switch is under way.", "Compare with the same hour of last week."]),
            rnd.choice(list(TEAMS.values()))[1], rnd.randrange(1, 28), rnd.choice(["March", "June", "October"]))
    for i, s in enumerate(("auth", "audit", "geo", "portal", "settle", "dunning", "ledger", "forecast", "objectstore", "accounts", "dispatch", "crew-app")):
        env = ENVS[i % 3]
        unit = "%s:%s/%s" % (env, units[env, s]["cell"], s)
        f["changes/2031-%02d/%s.toml" % (1 + i // 6, s)] = 'unit = "%s"\nundo_to = %d\nrisk = "%s"\n' % (unit, serial(env, s) - 1, ["low", "mid", "low", "high"][i % 4])
        if i % 2:
            f["plans/%s.plan" % unit.replace(":", "-").replace("/", "-")] = '{\n "unit": "%s",\n "from": %d,\n "want": "%016x",\n "steps": [\n  "set replicas",\n  "refresh mesh",\n  "refresh names",\n  "refresh meter"\n ]\n}\n' % (unit, serial(env, s) - 1, rnd.getrandbits(64))
    f["changes/next/.keep"] = ""
    f["README.md"] = "# Penrose Grid: platform\n\nServices, environments, modules and policies of the grid platform.\n\n- `services/NAME/env/ENV.toml` says what runs; `modules/` how; `environments/` where; `policies/` under which rules.\n- `trellis` (on the PATH) compares these files with what runs and brings it up to date: `trellis plan`, `trellis apply`, `trellis help`.\n- `plans/` and `changes/` are the history of what was done. `runbooks/` are for the night.\n- `make check` reads every TOML file.\n\nWork is committed on `main`.\n"
    f["docs/words.md"] = "# Words\n\nUnit: one service in one environment. Cell: a group of machines within an environment. Serial: counts the changes of a unit.\n"
    f["docs/history.md"] = "# History\n\nThe platform replaced the old machine room in 2027. trellis replaced the spreadsheets in 2028.\n"
    f["docs/style.md"] = "# Style\n\nTOML, two-space lists, no tabs. Names in lower case. Files end with a line feed.\n"
    f["Makefile"] = ".PHONY: check\ncheck:\n\t@python3 scripts/check.py\n"
    f["scripts/check.py"] = '"""Every TOML file can be read."""\nimport glob\nimport sys\nimport tomllib\n\nbad = 0\nfor name in sorted(glob.glob("**/*.toml", recursive=True)):\n    try:\n        tomllib.load(open(name, "rb"))\n    except tomllib.TOMLDecodeError as e:\n        print("%s: %s" % (name, e))\n        bad = 1\nsys.exit(bad)\n'
    return units, f


def write(dest):
    units, f = files()
    for name, text in f.items():
        p = os.path.join(dest, name)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, "w") as out:
            out.write(text)
    return units, len(f)
