-- product: RTI-Q
-- title: Retail turnover index by branch (average quarter of 2021 = 100)
with now as (
    select branch, count(*) as n, sum(turnover) as turnover
    from raw_retail where period = :period group by branch
)
select period_label(:period) as period,
       b.code as branch,
       b.label as branch_name,
       now.n as n,
       safe(now.turnover, now.n) as turnover,
       safe(index100(now.turnover, retail_base.turnover), now.n) as turnover_index,
       flag(now.n) as flag
from now
join cb_branch b on b.code = now.branch
left join retail_base on retail_base.branch = now.branch
order by b.code;
