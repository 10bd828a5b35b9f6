-- One run and one family of lessons, from its first exposure: shown, or withheld by the coin.
CREATE TABLE units (
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    run TEXT NOT NULL,
    family TEXT NOT NULL,
    door TEXT NOT NULL,
    withheld INTEGER NOT NULL,
    share REAL NOT NULL,
    at REAL NOT NULL,
    outcome TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (shelf, run, family)
) STRICT, WITHOUT ROWID;

-- The secret of the coin.
CREATE TABLE proof_salt (salt TEXT NOT NULL) STRICT;
INSERT INTO proof_salt VALUES (lower(hex(randomblob(16))));
