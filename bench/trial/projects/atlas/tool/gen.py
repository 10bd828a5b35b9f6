"""Generates the units, cells, modules, runbooks and incidents of the atlas (used by setup.sh and the checkers)."""
import os
import random

ENVS = ("bench", "trial", "prod")
REGIONS = ("nw1", "se2", "ap3", "ca4")
SECONDS = {"ledger": "insight", "courier": "stock", "stock": "ledger", "storefront": "courier", "platform": "storefront", "insight": "platform"}
MODULES = {  # name: (text, {version: {set: (low, high)}}, remarks)
    "http-edge": ("answers requests", {1: dict(idle=(10, 120)), 2: dict(idle=(10, 120), burst=(1, 64)), 3: dict(rest=(10, 120), burst=(1, 64), drain=(5, 60))},
                  "Version 3: `idle` is called `rest` now, with the same value. `drain` is new: half of `rest`, rounded down.\nVersion 1 is not to be used any more."),
    "queue-worker": ("takes jobs from a queue", {1: dict(lease=(5, 300)), 2: dict(lease=(5, 300), retries=(0, 12))}, "Version 2 counts retries itself."),
    "batch-run": ("runs at intervals", {1: dict(every=(5, 1440)), 2: dict(every=(5, 1440), grace=(1, 60))}, "Version 2 waits `grace` minutes for its inputs."),
    "cache-node": ("keeps answers for a while", {3: dict(evict=(1, 100)), 4: dict(evict=(1, 100), warm=(0, 10))}, "Version 4 warms up after a start."),
    "feed-pump": ("reads a feed and hands it on", {1: dict(poll=(1, 60)), 2: dict(poll=(1, 60), window=(1, 24))}, "Version 2 keeps a window of hours."),
    "stream-tap": ("listens to a stream", {1: dict(lag=(1, 90))}, "One version so far."),
    "search-node": ("answers searches", {1: dict(shards=(1, 16)), 2: dict(shards=(1, 16), stem=(0, 1))}, "Version 2 knows word stems."),
    "mail-relay": ("hands mail on", {1: dict(perhour=(100, 9000))}, "One version so far."),
    "gate-proxy": ("stands in front of everything", {1: dict(allow=(1, 500)), 2: dict(allow=(1, 500), shed=(1, 90))}, "Version 2 sheds load. Nobody has moved yet."),
    "id-mint": ("gives out numbers", {1: dict(block=(10, 1000)), 2: dict(block=(10, 1000), skew=(0, 30))}, "Version 2 allows a clock skew."),
    "blob-shelf": ("keeps large things", {1: dict(keep=(1, 3650))}, "One version so far."),
    "form-filler": ("prints forms", {1: dict(pages=(1, 40))}, "Not used at present."),
}
S = {  # service: keeper, module, tier, port, regions, links, text
    "ledger-api": ("ledger", "http-edge@3", "gold", 7204, "nw1 se2 ap3 ca4", "rates-cache id-desk", "books entries and answers for balances"),
    "ledger-close": ("ledger", "batch-run@2", "silver", 7205, "nw1 se2", "ledger-api", "closes the books of the day"),
    "tax-table": ("ledger", "cache-node@4", "bronze", 7206, "nw1 ap3 ca4", "", "rates of tax by place"),
    "rates-cache": ("ledger", "cache-node@4", "gold", 7207, "nw1 se2 ap3 ca4", "", "rates of exchange"),
    "invoice-mill": ("ledger", "queue-worker@2", "silver", 7209, "nw1 se2 ca4", "ledger-api tax-table mail-out", "makes invoices"),
    "parcel-track": ("courier", "http-edge@3", "gold", 7301, "nw1 se2 ap3 ca4", "id-desk", "where a parcel is"),
    "crate-label": ("courier", "http-edge@3", "silver", 7302, "nw1 ap3", "parcel-track", "prints labels"),
    "route-plan": ("courier", "batch-run@1", "silver", 7304, "nw1 se2 ca4", "parcel-track", "plans the tours of the vans"),
    "van-ping": ("courier", "stream-tap@1", "bronze", 7305, "nw1 se2 ap3", "route-plan", "positions of the vans"),
    "stock-feed": ("stock", "feed-pump@2", "gold", 7410, "nw1 se2 ap3 ca4", "", "what is on the shelves, as it changes"),
    "stock-count": ("stock", "batch-run@2", "silver", 7411, "nw1 se2 ap3", "stock-feed", "counts at night"),
    "shelf-view": ("stock", "http-edge@3", "silver", 7412, "nw1 se2 ca4", "stock-feed", "shows the shelves"),
    "reorder": ("stock", "queue-worker@1", "silver", 7413, "nw1 se2", "stock-feed ledger-api", "orders what runs out"),
    "quote-desk": ("storefront", "http-edge@3", "silver", 7501, "nw1 se2 ap3", "rates-cache old-quote", "prices for customers"),
    "old-quote": ("storefront", "http-edge@3", "bronze", 7502, "nw1 se2", "rates-cache", "prices in the form of 2024"),
    "basket": ("storefront", "http-edge@3", "gold", 7503, "nw1 se2 ap3 ca4", "stock-feed quote-desk old-quote", "what a customer has picked"),
    "search-front": ("storefront", "search-node@2", "silver", 7504, "nw1 ap3 ca4", "shelf-view stock-feed", "finds goods"),
    "mail-out": ("storefront", "mail-relay@1", "silver", 7505, "nw1 se2 ap3 ca4", "", "sends mail"),
    "gate": ("platform", "gate-proxy@1", "gold", 7001, "nw1 se2 ap3 ca4", "ledger-api parcel-track basket", "lets requests in"),
    "id-desk": ("platform", "id-mint@2", "gold", 7002, "nw1 se2 ap3 ca4", "", "gives numbers to things"),
    "blob-shelf": ("platform", "blob-shelf@1", "silver", 7003, "nw1 se2 ca4", "", "keeps scans and photos"),
    "beacon": ("platform", "stream-tap@1", "bronze", 7004, "nw1 se2 ap3 ca4", "gate", "tells whether a cell is up"),
    "tally-view": ("insight", "http-edge@3", "bronze", 7601, "nw1 se2", "ledger-api old-quote", "figures for the management"),
    "night-sums": ("insight", "batch-run@2", "bronze", 7602, "nw1 se2 ap3", "ledger-api stock-feed", "sums of the day"),
    "trend-pump": ("insight", "feed-pump@1", "bronze", 7603, "nw1 ca4", "stock-feed", "trends for the buyers"),
    "audit-tap": ("insight", "stream-tap@1", "silver", 7604, "nw1 se2 ap3 ca4", "gate", "what was done by whom"),
}
MIN = {"bench": dict(gold=1, silver=1, bronze=1), "trial": dict(gold=2, silver=1, bronze=1), "prod": dict(gold=3, silver=2, bronze=1)}


def present(svc, env, region):
    if svc not in S or region not in S[svc][4].split():
        return False
    return not (svc == "old-quote" and region == "se2" and env == "bench")


def units():
    """{(env, region, name): text}"""
    out = {}
    for env in ENVS:
        for region in REGIONS:
            for svc, (keeper, module, tier, port, _r, links, text) in S.items():
                if not present(svc, env, region):
                    continue
                rnd = random.Random("%s/%s/%s" % (env, region, svc))
                if region == "ap3" and env != "bench" and svc in ("crate-label", "quote-desk"):
                    module = "http-edge@2"
                else:
                    module = S[svc][1]
                rep = MIN[env][tier] + (rnd.randint(0, 3) if env == "prod" else 0)
                if svc == "ledger-api":
                    rep = {"bench": 1, "trial": 2, "prod": 5 if region == "nw1" else 4}[env]
                mem = 64 * rnd.choice({"bench": (2, 3, 4), "trial": (4, 5, 6, 8), "prod": (8, 10, 12, 16, 20)}[env])
                backup = {"bench": "none", "trial": "weekly", "prod": {"gold": "daily", "silver": "weekly", "bronze": "none"}[tier]}[env]
                if env == "prod" and (svc, region) in (("rates-cache", "se2"), ("gate", "se2"), ("id-desk", "ca4")):
                    backup = "weekly"
                if env == "trial" and tier == "bronze":
                    backup = "none"
                L = ["# %s in %s %s" % (svc, env, region), "unit      %s" % svc, "keeper    %s" % keeper, "module    %s" % module,
                     "tier      %s" % tier, "replicas  %d" % rep, "memory    %d" % mem, "port      %d" % port, "backup    %s" % backup]
                for l in links.split():
                    if present(l, env, region):
                        L.append("link      %s:%d" % (l, S[l][3]))
                m, v = module.split("@")
                got = {}
                for k, (a, b) in MODULES[m][1][int(v)].items():
                    val = rnd.randint(a, min(b, a + max(2, (b - a) // 3)))
                    if k == "drain":
                        val = max(5, got["rest"] // 2)
                    if svc == "ledger-api" and k == "burst":
                        val = 16
                    got[k] = val
                    L.append("set       %s = %d" % (k, val))
                if rnd.random() < .25 and env == "prod":
                    L.append("note      %s" % rnd.choice(["asked for by the auditors", "grown after the autumn sale", "see the incident pages",
                                                          "keep apart from the batch units", "moved here from the old hall"]))
                out[(env, region, svc)] = "\n".join(L) + "\n"
    return out


WORDS = dict(nw1="North West, hall 1", se2="South East, hall 2", ap3="Asia and Pacific", ca4="Canada")
YARD = dict(bench="sand", trial="clay", prod="granite")


def files():
    f = {}
    for (env, region, svc), text in units().items():
        f["units/%s/%s/%s.unit" % (env, region, svc)] = text
    for i, env in enumerate(ENVS):
        f["envs/%s.env" % env] = "env       %s\norder     %d\nyard      %s\nwindow    %s\ncontact   %s\n" % (
            env, i + 1, YARD[env], ("always", "weekdays", "mornings")[i], ("nobody", "platform", "the keeper on duty")[i])
        y = ["yard      %s" % YARD[env], "measures  %s" % env, "memory    step 64"]
        y += ["replicas  %s %d" % (t, n) for t, n in MIN[env].items()]
        if env == "prod":
            y += ["backup    gold daily"]
        f["policies/yards/%s.yard" % YARD[env]] = "\n".join(y) + "\n"
        for region in REGIONS:
            rnd = random.Random(env + region)
            f["cells/%s/%s.cell" % (env, region)] = "cell      %s %s\nplace     %s\nracks     %d\nmemory    %d\nuplink    %s\n" % (
                env, region, WORDS[region], rnd.randint(2, 14), 1024 * rnd.randint(24, 96), rnd.choice(["north ring", "south ring", "sea cable", "leased line"]))
    for m, (text, versions, remark) in MODULES.items():
        for v, sets in versions.items():
            f["modules/%s/v%d.mod" % (m, v)] = "# %s: %s\nmodule    %s@%d\n" % (m, text, m, v) + \
                "".join("set       %-8s %d..%d\n" % (k, a, b) for k, (a, b) in sets.items())
        f["modules/%s/NOTES.md" % m] = "# %s\n\nA module that %s. Versions: %s.\n\n%s\n" % (m, text, ", ".join(map(str, versions)), remark)
    for svc, (keeper, module, tier, port, regions, links, text) in S.items():
        rnd = random.Random("run" + svc)
        f["docs/runbooks/%s.md" % svc] = "\n".join([
            "# %s" % svc, "", "%s. Kept by %s, tier %s." % (text[0].upper() + text[1:], keeper, tier), "",
            "Runs in: %s" % ", ".join(regions.split()), "", "Leans on: %s" % (", ".join(links.split()) or "nothing"), "",
            "## When it is slow", "",
            rnd.choice(["Look at the units it leans on first.", "Compare the memory with the other regions; it was sized by guess.",
                        "Mostly it is the uplink. Ask platform before anything is changed.", "Count its replicas against the yard, then ask the keeper."]), "",
            "## When it is down", "",
            rnd.choice(["It comes back by itself within %d minutes." % rnd.randint(2, 9), "Tell %s, who keep it; do not start it by hand." % keeper,
                        "The last applied form is good; look for what was applied since."]), ""])
    rnd = random.Random(77)
    names = sorted(S)
    for i in range(16):
        svc, region = rnd.choice(names), rnd.choice(REGIONS)
        mth = 1 + i % 12
        f["docs/incidents/2030-%02d-%s.md" % (mth, svc if i < 12 else svc + "-again")] = "\n".join([
            "# %s in %s, %d.%d.2030" % (svc, region, rnd.randint(1, 28), mth), "",
            rnd.choice(["Two replicas were lost with their rack.", "A change went out on a Friday.", "Memory ran out during the count.",
                        "A link pointed to a port nobody listened on.", "The clock of the hall was off."]),
            "It took %d minutes to see and %d to repair." % (rnd.randint(3, 50), rnd.randint(5, 240)), "",
            "What we changed: " + rnd.choice(["one more replica.", "a measure in the yard.", "nothing, it will come again.", "the page on duty.", "the rack."]), ""])
    f["policies/seconds.tbl"] = "# keeper, and the guild that looks at its work\n" + "".join("second    %-11s %s\n" % kv for kv in SECONDS.items())
    return f
