-- What is left of a run that has ended: counts, and in JSON its steps with what it was shown when.
CREATE TABLE ended_runs (
    id TEXT PRIMARY KEY,
    run TEXT NOT NULL,
    task TEXT NOT NULL,
    begun_at REAL NOT NULL,
    ended_at REAL NOT NULL,
    outcome TEXT NOT NULL,
    made INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    told INTEGER NOT NULL,
    kinds TEXT NOT NULL,
    steps TEXT NOT NULL,
    shown TEXT NOT NULL,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX ended_runs_recent ON ended_runs (shelf, ended_at DESC, id);
