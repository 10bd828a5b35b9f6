-- product: JVS-Q
-- title: Vacancies and vacancy rate by sector
select period_label(:period) as period,
       s.code as sector,
       s.label as sector_name,
       count(*) as n,
       safe(sum(v.vacancies), count(*)) as vacancies,
       safe(sum(v.occupied), count(*)) as occupied,
       safe(round_half_up(100.0 * sum(v.vacancies) / (sum(v.vacancies) + sum(v.occupied)), 1), count(*)) as vacancy_rate,
       flag(count(*)) as flag
from raw_vacancies v
join cb_sector s on s.code = v.sector
where v.period = :period
group by s.code, s.label
order by s.code;
