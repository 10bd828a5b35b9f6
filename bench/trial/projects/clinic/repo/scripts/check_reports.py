"""Reports follow their templates and are the ones that were filed."""
import json
import pathlib
import re
import subprocess
import sys

VERDICTS = {"absent": "not in the register", "altered": "differs from what was registered"}


def labels(text):
    return re.findall(r"^(\w+):", text, re.M) + re.findall(r"^#+ [^,\n]+", text, re.M)


def problems(path):
    m = re.fullmatch(r"\d{4}-W\d\d-(\w+)", path.stem)
    template = pathlib.Path("templates/reports") / f"{m[1]}.md" if m else None
    if not template or not template.exists():
        return ["name is not YEAR-Wnn-TOPIC"]
    text = path.read_text()
    out = ["placeholder left"] if "{{" in text else []
    out += [f"{x} is missing" for x in labels(template.read_text()) if x not in labels(text)]
    p = subprocess.run(["vdesk", "reports.verify", json.dumps({"path": str(path)})], capture_output=True, text=True)
    verdict = json.loads(p.stdout)["verdict"] if p.returncode == 0 else p.stderr.strip()
    return out if verdict == "valid" else out + [VERDICTS.get(verdict, verdict)]


def main():
    bad = [f"{p}: {x}" for p in sorted(pathlib.Path("reports").glob("*.md")) for x in problems(p)]
    print("\n".join(bad) or "reports: ok")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
