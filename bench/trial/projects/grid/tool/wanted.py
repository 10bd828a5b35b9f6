"""What each task wants: environment, service, the unit after it, new nouns, risk."""
import copy
import gen


def wanted(n):
    units = gen.world()
    env, s, risk = {1: ("prod", "billing", "low"), 2: ("prod", "metering", "low"), 3: ("stage", "notify", "mid"), 4: ("prod", "tariff", "mid"), 5: ("dev", "faxgate", "low"), 6: ("stage", "intake", "low")}[n]
    u = copy.deepcopy(units[env, s])
    nouns = []
    if n == 1:
        u["replicas"], u["limits"]["memory_mb"] = 7, 768
    if n == 2:
        u["queue"].append({"name": "mtr.metering.export-retry", "depth": 1200})
        nouns = ["export-retry"]
    if n == 3:
        u["version"], u["limits"] = "2.4", {"memory_mb": 256, "linger_s": 45}
    if n == 4:
        u["route"].append({"name": "grd.tariff.to-workorders", "to": "workorders", "port": 7443})
        nouns = ["to-workorders"]
    if n == 5:
        u["replicas"], u["queue"] = 0, []
    if n == 6:
        for a in u["alert"]:
            if a["name"] == "mtr.intake.backlog":
                a["above"] = 75
        u["alert"] += [{"name": "mtr.intake.late", "signal": "p95_ms", "above": 250, "page": "mtr"}, {"name": "mtr.intake.duplicates", "signal": "error_pct", "above": 2, "page": "mtr"}]
        nouns = ["late", "duplicates"]
    after = dict(units)
    after[env, s] = u
    return env, s, u, nouns, risk, units, after
