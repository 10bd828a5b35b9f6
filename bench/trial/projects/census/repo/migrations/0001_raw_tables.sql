create table raw_tourism(period text, est_id text, region text, lodging text, beds integer, guests integer, nights integer);
create table raw_permits(period text, permit_id text, region text, use text, dwellings integer, floor_m2 integer);
create table raw_retail(period text, shop_id text, branch text, turnover integer);
create table raw_lfs(period text, person_id text, region text, age integer, status text, weight integer);
