ALTER TABLE lessons ADD COLUMN guard INTEGER NOT NULL DEFAULT 0;

-- The lessons met most often, for the turn door.
CREATE INDEX lessons_met ON lessons (shelf, status, met_count DESC, updated_at DESC);

-- How often a kind of call was made and failed: what the action door is calibrated on.
CREATE TABLE calls (
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    call TEXT NOT NULL,
    made INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    PRIMARY KEY (shelf, call)
) STRICT, WITHOUT ROWID;

-- What a lesson said before it was changed or deleted; an undo takes the newest back.
CREATE TABLE lesson_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    lesson INTEGER NOT NULL,
    act TEXT NOT NULL,
    before TEXT NOT NULL,
    at REAL NOT NULL
) STRICT;
CREATE INDEX lesson_history_of ON lesson_history (shelf, lesson, id);
