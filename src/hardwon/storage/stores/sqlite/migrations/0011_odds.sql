-- Features of calls by number: how many calls had each, and what came of them. `kinds` is a JSON list
-- of [kind, failed, made after the run had met it]; `touched` numbers the call that had it last.
CREATE TABLE odds (
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    feature INTEGER NOT NULL,
    made INTEGER NOT NULL,
    kinds TEXT NOT NULL,
    touched INTEGER NOT NULL,
    PRIMARY KEY (shelf, feature)
) STRICT, WITHOUT ROWID;

-- Counted by the words of calls, which foretold little.
DROP TABLE calls;
