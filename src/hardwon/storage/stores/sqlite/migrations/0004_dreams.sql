-- One row a dream, for good; the first columns bear the published names.
CREATE TABLE dream_log (
    id TEXT PRIMARY KEY,
    started_at REAL NOT NULL,
    duration_seconds REAL NOT NULL,
    memories_consolidated INTEGER NOT NULL,
    kg_nodes_added INTEGER NOT NULL,
    reflection TEXT NOT NULL,
    improvements_proposed INTEGER NOT NULL,
    improvements_json TEXT NOT NULL,
    prefetch_done INTEGER NOT NULL,
    created_at REAL NOT NULL,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    report TEXT NOT NULL,
    state TEXT NOT NULL
) STRICT;
CREATE INDEX dream_log_recent ON dream_log (shelf, started_at DESC);

-- What a dream did to each lesson, so that it can be undone.
CREATE TABLE dream_changes (
    dream TEXT NOT NULL REFERENCES dream_log (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    lesson INTEGER NOT NULL,
    project TEXT,
    reason TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    tags TEXT NOT NULL
) STRICT;
CREATE INDEX dream_changes_of ON dream_changes (dream);

-- The text index is written again only when a text has changed, not with every change of status.
DROP TRIGGER lesson_text_changed;
CREATE TRIGGER lesson_text_changed AFTER UPDATE OF situation, mistake, correction, tags ON lessons
WHEN (old.situation, old.mistake, old.correction, old.tags)
    IS NOT (new.situation, new.mistake, new.correction, new.tags)
BEGIN
    INSERT INTO lesson_text (lesson_text, rowid, situation, mistake, correction, tags)
    VALUES ('delete', old.id, old.situation, old.mistake, old.correction, old.tags);
    INSERT INTO lesson_text (rowid, situation, mistake, correction, tags)
    VALUES (new.id, new.situation, new.mistake, new.correction, new.tags);
END;
