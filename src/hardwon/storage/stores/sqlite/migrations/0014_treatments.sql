-- Which lesson a unit is about, in which words, and where it stood.
ALTER TABLE units ADD COLUMN lesson INTEGER NOT NULL DEFAULT 0;
ALTER TABLE units ADD COLUMN wording TEXT NOT NULL DEFAULT '';
ALTER TABLE units ADD COLUMN position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE units ADD COLUMN score REAL NOT NULL DEFAULT 0;

-- The share of runs from which lessons are withheld, where it is less than the settings say.
CREATE TABLE proof_shares (
    tenant INTEGER PRIMARY KEY REFERENCES tenants (id) ON DELETE CASCADE,
    share REAL NOT NULL
) STRICT;
