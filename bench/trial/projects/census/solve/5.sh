DEST=$1; . "$(dirname "$0")/lib.sh"
deliver LFS-Q lfs Y25Q3 sources/lfs/2025Q3.csv region
cat > halstat/bands.py <<'PY'
"""Age bands."""
BANDS = ((15, 24), (25, 54), (55, 64), (65, 74))


def age_band(age):
    for lo, hi in BANDS:
        if age is not None and lo <= age <= hi:
            return f"{lo}-{hi}"
    return None
PY
cat >> halstat/rounding.py <<'PY'


def round_to(x, base):
    """Nearest multiple of the base, halves away from zero."""
    return None if x is None else round_half_up(Decimal(str(x)) / base) * base
PY
sed -i -e 's/^from \. import /from . import bands, /' -e '/"index100"/a\    "age_band": (1, bands.age_band),\n    "round_to": (2, rounding.round_to),' halstat/sqlfuncs.py
cat > tests/test_bands.py <<'PY'
import unittest

from halstat.bands import age_band
from halstat.rounding import round_to


class Bands(unittest.TestCase):
    def test_bands(self):
        self.assertEqual([age_band(a) for a in (14, 15, 74, 75)], [None, "15-24", "65-74", None])
        self.assertEqual((round_to(12345, 100), round_to(12350, 100)), (12300, 12400))
PY
cat > models/lfs_age.sql <<'SQL'
-- product: LFS-Q
-- title: Unemployment by age
with p as (
    select age_band(age) as band, case when status = 'E' then weight else 0 end as e, case when status = 'U' then weight else 0 end as u
    from raw_lfs where period = :period and age_band(age) is not null
)
select period_label(:period) as period,
       band as age_band,
       count(*) as n,
       safe(round_to(sum(e), 100), count(*)) as employed,
       safe(round_to(sum(u), 100), count(*)) as unemployed,
       safe(round_half_up(100.0 * sum(u) / (sum(e) + sum(u)), 1), count(*)) as unemployment_rate,
       flag(count(*)) as flag
from p
group by band
order by band;
SQL
publish LFS-Q lfs_age Y25Q3
