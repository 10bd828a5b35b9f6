-- How far past sessions were recorded: a digest of all calls up to a point, and what it takes to go on.
CREATE TABLE past_runs (
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    digest TEXT NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (shelf, digest)
) STRICT, WITHOUT ROWID;
