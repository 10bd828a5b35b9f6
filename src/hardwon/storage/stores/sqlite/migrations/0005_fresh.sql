-- What waits to be moved into the dictionary, many lessons at once, so that keeping one touches few
-- pages. Recall reads both. Rows are only appended, the last one of a lesson counts, and all are
-- moved together; an id is never used twice, so the first and the last tell which rows there are.
CREATE TABLE fresh (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    lesson INTEGER NOT NULL,
    is_new INTEGER NOT NULL, -- 0: the dictionary may hold what it was found by before
    entries TEXT NOT NULL -- keys and impacts; {} when it must not be found
) STRICT;

-- Up to which lesson the texts have been moved into `lesson_text`.
CREATE TABLE lesson_text_reach (last INTEGER NOT NULL) STRICT;
INSERT INTO lesson_text_reach SELECT coalesce(max(id), 0) FROM lessons;

DROP TRIGGER lesson_text_added;
DROP TRIGGER lesson_text_removed;
CREATE TRIGGER lesson_text_removed AFTER DELETE ON lessons
WHEN old.id <= (SELECT last FROM lesson_text_reach)
BEGIN
    INSERT INTO lesson_text (lesson_text, rowid, situation, mistake, correction, tags)
    VALUES ('delete', old.id, old.situation, old.mistake, old.correction, old.tags);
END;
DROP TRIGGER lesson_text_changed;
CREATE TRIGGER lesson_text_changed AFTER UPDATE OF situation, mistake, correction, tags ON lessons
WHEN old.id <= (SELECT last FROM lesson_text_reach)
    AND (old.situation, old.mistake, old.correction, old.tags)
    IS NOT (new.situation, new.mistake, new.correction, new.tags)
BEGIN
    INSERT INTO lesson_text (lesson_text, rowid, situation, mistake, correction, tags)
    VALUES ('delete', old.id, old.situation, old.mistake, old.correction, old.tags);
    INSERT INTO lesson_text (rowid, situation, mistake, correction, tags)
    VALUES (new.id, new.situation, new.mistake, new.correction, new.tags);
END;
