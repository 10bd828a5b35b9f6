-- What a lesson means: the direction of its vector, a byte a number.
CREATE TABLE lesson_vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    lesson INTEGER NOT NULL UNIQUE REFERENCES lessons (id) ON DELETE CASCADE,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    embedder TEXT NOT NULL,
    vector BLOB NOT NULL
) STRICT;
CREATE INDEX lesson_vectors_of ON lesson_vectors (embedder, shelf, id);

-- A lesson that says something else, or may no longer be shown, loses its vector with that change.
CREATE TRIGGER lesson_vector_stale AFTER UPDATE OF situation, mistake, correction, status ON lessons
WHEN (old.situation, old.mistake, old.correction, old.status)
    IS NOT (new.situation, new.mistake, new.correction, new.status)
BEGIN
    DELETE FROM lesson_vectors WHERE lesson = new.id;
END;
