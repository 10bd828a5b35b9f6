-- How often each kind of failure was met on each day (days since 1970, UTC).
CREATE TABLE failure_days (
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    signature TEXT NOT NULL,
    met INTEGER NOT NULL,
    PRIMARY KEY (shelf, day, signature)
) STRICT, WITHOUT ROWID;

-- A report adds up what was shown from this index alone.
DROP INDEX deliveries_recent;
CREATE INDEX deliveries_recent ON deliveries (shelf, at DESC, door, outcome, tokens);
