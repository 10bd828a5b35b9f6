-- A shelf that is removed finds what is indexed of it; without this, it reads all of the tenant. The
-- tenant comes last: nobody who looks for lessons of a tenant should take this index for theirs.
CREATE INDEX indexed_of ON hardwon.indexed (shelf, tenant);
