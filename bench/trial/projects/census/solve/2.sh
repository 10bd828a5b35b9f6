DEST=$1; . "$(dirname "$0")/lib.sh"
echo "alter table raw_permits add column energy_class text;" > migrations/0004_permits_energy_class.sql
deliver BLD-Q permits Y25Q3 sources/permits/2025Q3.csv region
cat > models/permits_energy.sql <<'SQL'
-- product: BLD-Q
-- title: Building permits by energy class
select period_label(:period) as period,
       coalesce(nullif(energy_class, ''), 'U') as energy_class,
       count(*) as n,
       safe(count(*), count(*)) as permits,
       safe(sum(dwellings), count(*)) as dwellings,
       safe(sum(floor_m2), count(*)) as floor_m2,
       flag(count(*)) as flag
from raw_permits
where period = :period
group by 2
order by 2;
SQL
publish BLD-Q permits_energy Y25Q3
