"""House style of src/ and include/. Tells the first finding of each file."""
import glob
import re
import sys

import tabs


def bare(text):
    """Source without comments, strings and preprocessor includes."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m[0])
    text = re.sub(r"/\*.*?\*/|//[^\n]*", blank, text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', blank, text)
    return re.sub(r"^#\s*(include|error)[^\n]*", blank, text, flags=re.M)


def finding(path, rules, foreign):
    text = open(path, encoding="utf-8").read()
    lines = text.split("\n")
    if not text.startswith("/*"):
        return 1, "does not say what it is for"
    for no, line in enumerate(lines, 1):
        if "\t" in line or line != line.rstrip():
            return no, "tab or blank at the end"
        if len(line) > int(rules["width"]):
            return no, "long line"
    for no, line in enumerate(bare(text).split("\n"), 1):
        for name in re.findall(r"\b[A-Za-z_]\w*", line):
            if name.upper() == name and len(name) > 1:
                continue
            for part in name.lower().split("_"):
                if part in foreign:
                    return no, "'%s' is not shop talk" % name
    return None


def main():
    rules = tabs.rules("style")
    foreign = {row["word"] for row in tabs.table("tools/rules/words.tab")}
    bad = 0
    for folder in rules["folders"].split():
        for path in sorted(glob.glob(folder + "/*.[ch]")):
            found = finding(path, rules, foreign)
            if found:
                print("style: %s:%d: %s" % ((path,) + found), file=sys.stderr)
                bad += 1
    if bad:
        sys.exit(1)
    print("style: fine")


main()
