DEST=$1; . "$(dirname "$0")/lib.sh"
cat > migrations/0004_sector_groups.sql <<'SQL'
create table sector_groups(sector text primary key, sector_group text not null);
insert into sector_groups values ('B', 'industry'), ('C', 'industry'), ('F', 'industry'), ('G', 'market services'), ('H', 'market services'),
    ('I', 'market services'), ('J', 'market services'), ('JA', 'market services'), ('JB', 'market services'), ('K', 'market services'),
    ('M', 'market services'), ('P', 'other services'), ('Q', 'other services');
SQL
deliver JVS-Q vacancies Y25Q2 sources/vacancies/2025Q2_corrected.csv sector --replace
sed -i -e '/as sector_name,/a\       g.sector_group as sector_group,' -e '/^join cb_sector/a join sector_groups g on g.sector = s.code' models/vacancies.sql
publish JVS-Q vacancies Y25Q2 "Corrected delivery of the enterprise survey"
