-- A process of release 0.2 that runs while the file is migrated goes on with the tables it knows. Every
-- one of its statements about a scope names this column: the new name refuses them all. Later
-- builds look at the version of the schema whenever they begin to write.
ALTER TABLE shelves RENAME COLUMN tenant_id TO tenant;
