-- product: BLD-Q
-- title: Building permits by region
select period_label(:period) as period,
       r.code as region,
       r.label as region_name,
       count(*) as n,
       safe(count(*), count(*)) as permits,
       safe(sum(p.dwellings), count(*)) as dwellings,
       safe(sum(p.floor_m2), count(*)) as floor_m2,
       flag(count(*)) as flag
from raw_permits p
join cb_region r on r.code = p.region
where p.period = :period
group by r.code, r.label
order by r.code;
