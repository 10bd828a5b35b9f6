DEST=$1; . "$(dirname "$0")/lib.sh"
deliver RTI-Q retail Y25Q3 sources/retail/2025Q3.csv branch
cat >> halstat/indices.py <<'PY'


def chg_pct(current, prior):
    """Change in per cent, one decimal; None without a value to compare."""
    if current is None or not prior:
        return None
    return round_half_up(100 * (current - prior) / prior, 1)
PY
sed -i '/"index100"/a\    "chg_pct": (2, indices.chg_pct),' halstat/sqlfuncs.py
cat > tests/test_chg_pct.py <<'PY'
import unittest

from halstat.indices import chg_pct


class ChgPct(unittest.TestCase):
    def test_values(self):
        self.assertEqual((chg_pct(110, 100), chg_pct(99.75, 100)), (10.0, -0.3))
        self.assertIsNone(chg_pct(1, 0))
PY
sed -i -e 's/^from now$/, prior as (\n    select branch, sum(turnover) as turnover from raw_retail where period = :prior group by branch\n)\nfrom now/' models/retail_index.sql
python3 - <<'PY'
p = "models/retail_index.sql"
t = open(p).read()
cte = t[t.index(", prior as ("):t.index("from now\n")]
t = t.replace(cte, "").replace("group by branch\n)\nselect", "group by branch\n)" + cte.rstrip() + "\nselect")
t = t.replace("       flag(now.n) as flag", "       safe(chg_pct(now.turnover, prior.turnover), now.n) as change_yoy,\n       flag(now.n) as flag")
t = t.replace("\norder by b.code", "\nleft join prior on prior.branch = now.branch\norder by b.code")
open(p, "w").write(t)
PY
publish RTI-Q retail_index Y25Q3
