-- A shelf that is removed finds what is indexed of it; without this, it reads all of the tenant.
CREATE INDEX indexed_of ON hardwon.indexed (tenant, shelf);
