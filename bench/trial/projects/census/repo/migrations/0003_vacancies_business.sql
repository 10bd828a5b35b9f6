create table raw_vacancies(period text, unit_id text, sector text, vacancies integer, occupied integer);
create table raw_business(period text, ent_id text, sector text, status text, employees integer);
