ALTER TABLE reflections ADD COLUMN kind TEXT NOT NULL DEFAULT 'goal';
ALTER TABLE reflections ADD COLUMN job TEXT NOT NULL DEFAULT '';

DROP INDEX reflections_subject;
CREATE INDEX reflections_subject ON reflections (shelf, kind, subject, id);
CREATE INDEX reflections_recent ON reflections (shelf, kind, created_at DESC, id DESC);
CREATE INDEX reflections_expiry ON reflections (shelf, kind, expires_at)
WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX reflections_job ON reflections (shelf, kind, subject, job) WHERE job <> '';

-- By which words a reflection is found, the newest first.
CREATE TABLE reflection_words (
    shelf INTEGER NOT NULL,
    kind TEXT NOT NULL,
    word TEXT NOT NULL,
    reflection INTEGER NOT NULL REFERENCES reflections (id) ON DELETE CASCADE,
    PRIMARY KEY (shelf, kind, word, reflection DESC)
) STRICT, WITHOUT ROWID;
CREATE INDEX reflection_words_of ON reflection_words (reflection);
