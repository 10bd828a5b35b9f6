-- product: TOU-Q
-- title: Guests and nights by region
select period_label(:period) as period,
       r.code as region,
       r.label as region_name,
       count(*) as n,
       safe(sum(t.guests), count(*)) as guests,
       safe(sum(t.nights), count(*)) as nights,
       flag(count(*)) as flag
from raw_tourism t
join cb_region r on r.code = t.region
where t.period = :period
group by r.code, r.label
order by r.code;
