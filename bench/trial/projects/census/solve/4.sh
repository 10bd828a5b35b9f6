DEST=$1; . "$(dirname "$0")/lib.sh"
deliver BIZ-Q business Y25Q2 sources/business/2025Q2.csv sector
cat > models/business_demography.sql <<'SQL'
-- product: BIZ-Q
-- title: Business demography by sector
with u as (select distinct * from raw_business where period = :period)
select period_label(:period) as period,
       s.code as sector,
       s.label as sector_name,
       count(*) as n,
       safe(sum(status in ('active', 'born')), count(*)) as active,
       safe(sum(status = 'born'), count(*)) as births,
       safe(sum(status = 'died'), count(*)) as deaths,
       safe(round_half_up(100.0 * sum(status = 'born') / sum(status in ('active', 'born')), 1), count(*)) as birth_rate,
       flag(count(*)) as flag
from u
join cb_sector s on s.code = u.sector
group by s.code, s.label
order by s.code;
SQL
publish BIZ-Q business_demography Y25Q2
