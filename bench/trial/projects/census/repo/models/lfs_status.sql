-- product: LFS-Q
-- title: Persons aged 15 to 74 by region and status
select period_label(:period) as period,
       r.code as region,
       r.label as region_name,
       count(*) as n,
       safe(sum(case when p.status = 'E' then p.weight else 0 end), count(*)) as employed,
       safe(sum(case when p.status = 'U' then p.weight else 0 end), count(*)) as unemployed,
       safe(sum(case when p.status = 'N' then p.weight else 0 end), count(*)) as inactive,
       flag(count(*)) as flag
from raw_lfs p
join cb_region r on r.code = p.region
where p.period = :period and p.age between 15 and 74
group by r.code, r.label
order by r.code;
