-- average quarterly turnover of 2021, the base of the index
create table retail_base(branch text primary key, turnover integer);
insert into retail_base values ('F', 668200), ('C', 142900), ('H', 204400), ('O', 221700), ('P', 71300), ('V', 205800);
