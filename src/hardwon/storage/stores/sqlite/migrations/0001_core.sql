CREATE TABLE tenants (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- One shelf for each tenant, agent and project; project '' holds what is true everywhere.
CREATE TABLE shelves (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant_id INTEGER NOT NULL REFERENCES tenants (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL,
    project TEXT NOT NULL DEFAULT '',
    active INTEGER NOT NULL DEFAULT 0,
    UNIQUE (tenant_id, agent_id, project)
) STRICT;

CREATE TABLE lessons (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    situation TEXT NOT NULL,
    mistake TEXT NOT NULL,
    correction TEXT NOT NULL,
    tags TEXT NOT NULL,
    trigger_name TEXT NOT NULL,
    signatures TEXT NOT NULL,
    calls TEXT NOT NULL,
    evidence TEXT NOT NULL,
    origin TEXT NOT NULL,
    author TEXT NOT NULL,
    job TEXT NOT NULL,
    importance REAL NOT NULL,
    confidence REAL NOT NULL,
    status TEXT NOT NULL,
    hit_count INTEGER NOT NULL DEFAULT 0,
    met_count INTEGER NOT NULL DEFAULT 1,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    last_seen_at REAL NOT NULL,
    expires_at REAL
) STRICT;

CREATE UNIQUE INDEX lessons_job ON lessons (shelf, job) WHERE job <> '';
CREATE INDEX lessons_recent ON lessons (shelf, status, last_seen_at DESC);

-- Recall: a dictionary per shelf and, for each key, the lessons that hold it, strongest first.
CREATE TABLE terms (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    term TEXT NOT NULL,
    holders INTEGER NOT NULL,
    UNIQUE (shelf, term)
) STRICT;

CREATE TABLE postings (
    term INTEGER NOT NULL REFERENCES terms (id) ON DELETE CASCADE,
    impact INTEGER NOT NULL,
    lesson INTEGER NOT NULL,
    PRIMARY KEY (term, impact DESC, lesson)
) STRICT, WITHOUT ROWID;

-- What was written to the dictionary for a lesson, so that exactly this can be taken out again.
CREATE TABLE indexed (
    lesson INTEGER PRIMARY KEY REFERENCES lessons (id) ON DELETE CASCADE,
    entries TEXT NOT NULL
) STRICT;

-- Substring search for people.
CREATE VIRTUAL TABLE lesson_text USING fts5 (
    situation, mistake, correction, tags,
    content = 'lessons', content_rowid = 'id', tokenize = 'trigram'
);
CREATE TRIGGER lesson_text_added AFTER INSERT ON lessons BEGIN
    INSERT INTO lesson_text (rowid, situation, mistake, correction, tags)
    VALUES (new.id, new.situation, new.mistake, new.correction, new.tags);
END;
CREATE TRIGGER lesson_text_removed AFTER DELETE ON lessons BEGIN
    INSERT INTO lesson_text (lesson_text, rowid, situation, mistake, correction, tags)
    VALUES ('delete', old.id, old.situation, old.mistake, old.correction, old.tags);
END;
CREATE TRIGGER lesson_text_changed AFTER UPDATE OF situation, mistake, correction, tags ON lessons BEGIN
    INSERT INTO lesson_text (lesson_text, rowid, situation, mistake, correction, tags)
    VALUES ('delete', old.id, old.situation, old.mistake, old.correction, old.tags);
    INSERT INTO lesson_text (rowid, situation, mistake, correction, tags)
    VALUES (new.id, new.situation, new.mistake, new.correction, new.tags);
END;

CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    door TEXT NOT NULL,
    query TEXT NOT NULL,
    lessons TEXT NOT NULL,
    scores TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    at REAL NOT NULL,
    outcome TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX deliveries_recent ON deliveries (shelf, at DESC);

CREATE TABLE reflections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    title TEXT NOT NULL,
    insight TEXT NOT NULL,
    state TEXT NOT NULL,
    importance REAL NOT NULL,
    detail TEXT NOT NULL,
    created_at REAL NOT NULL,
    expires_at REAL
) STRICT;
CREATE INDEX reflections_subject ON reflections (shelf, subject, id);

CREATE TABLE failures (
    shelf INTEGER NOT NULL REFERENCES shelves (id) ON DELETE CASCADE,
    signature TEXT NOT NULL,
    text TEXT NOT NULL,
    met_count INTEGER NOT NULL,
    first_at REAL NOT NULL,
    last_at REAL NOT NULL,
    PRIMARY KEY (shelf, signature)
) STRICT, WITHOUT ROWID;

-- For people with an SQL shell.
CREATE VIEW lessons_by_agent AS
SELECT t.name AS tenant, s.agent_id, s.project, l.*
FROM lessons AS l
JOIN shelves AS s ON s.id = l.shelf
JOIN tenants AS t ON t.id = s.tenant_id;
