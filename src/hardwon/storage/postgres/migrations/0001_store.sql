CREATE SCHEMA hardwon;

CREATE TABLE hardwon.migrations (
    version integer PRIMARY KEY,
    name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- Lets a transaction see and write only the rows of the tenant that it has named; one that named
-- none sees nothing or fails. FORCE: the owner of the tables, too.
CREATE FUNCTION hardwon.isolate(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE hardwon.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE hardwon.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format(
        'CREATE POLICY own_tenant ON hardwon.%I'
        ' USING (tenant = current_setting(''hardwon.tenant''))'
        ' WITH CHECK (tenant = current_setting(''hardwon.tenant''))',
        name
    );
END
$$;

-- The names only; every other table of a tenant is behind the wall.
CREATE TABLE hardwon.tenants (
    name text COLLATE "C" PRIMARY KEY CHECK (name <> '')
);

-- One shelf for each tenant, agent and project; project '' holds what is true everywhere.
CREATE TABLE hardwon.shelves (
    tenant text COLLATE "C" NOT NULL REFERENCES hardwon.tenants (name) ON DELETE CASCADE,
    id bigint GENERATED ALWAYS AS IDENTITY,
    agent_id text COLLATE "C" NOT NULL,
    project text COLLATE "C" NOT NULL DEFAULT '',
    active integer NOT NULL DEFAULT 0,
    version bigint NOT NULL DEFAULT 0, -- grows with every change of a lesson, in the same commit
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, agent_id, project)
) WITH (fillfactor = 50);

CREATE TABLE hardwon.lessons (
    tenant text COLLATE "C" NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 4294967295), -- four bytes in the index
    shelf bigint NOT NULL,
    situation text NOT NULL,
    mistake text NOT NULL,
    correction text NOT NULL,
    trigger_name text NOT NULL,
    origin text NOT NULL,
    author text NOT NULL,
    job text COLLATE "C" NOT NULL,
    status text COLLATE "C" NOT NULL,
    tags text NOT NULL,
    signatures text NOT NULL,
    calls text NOT NULL,
    evidence text NOT NULL,
    kinds text NOT NULL,
    fixes text NOT NULL,
    importance double precision NOT NULL,
    confidence double precision NOT NULL,
    hit_count bigint NOT NULL,
    met_count bigint NOT NULL,
    guard boolean NOT NULL,
    created_at double precision NOT NULL,
    updated_at double precision NOT NULL,
    last_seen_at double precision NOT NULL,
    expires_at double precision,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX lessons_job ON hardwon.lessons (tenant, shelf, job) WHERE job <> '';
CREATE INDEX lessons_recent ON hardwon.lessons (tenant, shelf, status, last_seen_at DESC);
CREATE INDEX lessons_met ON hardwon.lessons (tenant, shelf, status, met_count DESC, updated_at DESC);
CREATE INDEX lessons_guard ON hardwon.lessons (tenant, shelf) WHERE guard;

-- What waits to be moved into the dictionary, many lessons at once; recall reads both. Rows are only
-- appended, and the last one of a lesson counts.
CREATE TABLE hardwon.fresh (
    tenant text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    lesson bigint NOT NULL,
    is_new boolean NOT NULL, -- false: the dictionary may hold what it was found by before
    entries text NOT NULL, -- keys and impacts as JSON; {} when it must not be found
    PRIMARY KEY (tenant, shelf, id),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
) WITH (autovacuum_vacuum_scale_factor = 0.05);

-- The dictionary: keys by shelf, and for each key the lessons that hold it, strongest first.
CREATE TABLE hardwon.terms (
    tenant text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    term text COLLATE "C" NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 4294967295),
    holders integer NOT NULL,
    PRIMARY KEY (tenant, shelf, term),
    UNIQUE (tenant, id),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
) WITH (fillfactor = 75);

-- Blocks of up to 190 entries: numbers of four bytes, then for each a byte of impact.
CREATE TABLE hardwon.postings (
    tenant text COLLATE "C" NOT NULL,
    term bigint NOT NULL,
    rank smallint NOT NULL, -- 0 for the strongest impacts, 7 for the weakest
    first bigint NOT NULL, -- no lesson of the block has a smaller number
    lessons bytea NOT NULL,
    PRIMARY KEY (tenant, term, rank, first),
    FOREIGN KEY (tenant, term) REFERENCES hardwon.terms (tenant, id) ON DELETE CASCADE
) WITH (fillfactor = 75);
-- Not in the definition: PostgreSQL 14 and 15 do not know it there.
ALTER TABLE hardwon.postings ALTER lessons SET STORAGE MAIN;

-- What was written to the dictionary for a lesson, so that exactly this can be taken out again. It
-- outlives a deleted lesson until the dictionary has forgotten it.
CREATE TABLE hardwon.indexed (
    tenant text COLLATE "C" NOT NULL,
    lesson bigint NOT NULL,
    shelf bigint NOT NULL,
    terms bytea NOT NULL, -- packed like the lessons of a block
    PRIMARY KEY (tenant, lesson),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);

-- What a lesson means: the direction of its vector, a byte a number.
CREATE TABLE hardwon.lesson_vectors (
    tenant text COLLATE "C" NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    lesson bigint NOT NULL,
    shelf bigint NOT NULL,
    embedder text COLLATE "C" NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, lesson),
    FOREIGN KEY (tenant, lesson) REFERENCES hardwon.lessons (tenant, id) ON DELETE CASCADE
);
CREATE INDEX lesson_vectors_of ON hardwon.lesson_vectors (tenant, embedder, shelf, id);

-- A lesson that says something else, or may no longer be shown, loses its vector with that change.
CREATE FUNCTION hardwon.drop_stale_vector() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM hardwon.lesson_vectors WHERE tenant = new.tenant AND lesson = new.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER lesson_vector_stale AFTER UPDATE ON hardwon.lessons FOR EACH ROW
WHEN ((old.situation, old.mistake, old.correction, old.status)
    IS DISTINCT FROM (new.situation, new.mistake, new.correction, new.status))
EXECUTE FUNCTION hardwon.drop_stale_vector();

CREATE TABLE hardwon.deliveries (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    door text COLLATE "C" NOT NULL,
    query text NOT NULL,
    lessons text NOT NULL,
    scores text NOT NULL,
    tokens bigint NOT NULL,
    micros bigint NOT NULL,
    at double precision NOT NULL,
    outcome text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);
CREATE INDEX deliveries_recent ON hardwon.deliveries (tenant, shelf, at DESC);

CREATE TABLE hardwon.reflections (
    tenant text COLLATE "C" NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    shelf bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    title text NOT NULL,
    insight text NOT NULL,
    state text NOT NULL,
    importance double precision NOT NULL,
    detail text NOT NULL,
    created_at double precision NOT NULL,
    expires_at double precision,
    job text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);
CREATE INDEX reflections_subject ON hardwon.reflections (tenant, shelf, kind, subject, id);
CREATE INDEX reflections_recent
ON hardwon.reflections (tenant, shelf, kind, created_at DESC, id DESC);
CREATE INDEX reflections_expiry ON hardwon.reflections (tenant, shelf, kind, expires_at)
WHERE expires_at IS NOT NULL;
CREATE UNIQUE INDEX reflections_job ON hardwon.reflections (tenant, shelf, kind, subject, job)
WHERE job <> '';

-- By which words a reflection is found, the newest first.
CREATE TABLE hardwon.reflection_words (
    tenant text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    word text COLLATE "C" NOT NULL,
    reflection bigint NOT NULL,
    PRIMARY KEY (tenant, shelf, kind, word, reflection),
    FOREIGN KEY (tenant, reflection) REFERENCES hardwon.reflections (tenant, id) ON DELETE CASCADE
);
CREATE INDEX reflection_words_of ON hardwon.reflection_words (tenant, reflection);

CREATE TABLE hardwon.failures (
    tenant text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    signature text COLLATE "C" NOT NULL,
    text text COLLATE "C" NOT NULL,
    met_count bigint NOT NULL,
    first_at double precision NOT NULL,
    last_at double precision NOT NULL,
    PRIMARY KEY (tenant, shelf, signature),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);

-- How often each kind of failure was met on each day (days since 1970, UTC).
CREATE TABLE hardwon.failure_days (
    tenant text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    day integer NOT NULL,
    signature text COLLATE "C" NOT NULL,
    met bigint NOT NULL,
    PRIMARY KEY (tenant, shelf, day, signature),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);

-- Features of calls by number: how many calls had each, and what came of them. `kinds` is a JSON
-- list of [kind, failed, made after the run had met it]; `touched` numbers the call that had it last.
CREATE TABLE hardwon.odds (
    tenant text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    feature bigint NOT NULL,
    made bigint NOT NULL,
    kinds text NOT NULL,
    touched bigint NOT NULL,
    PRIMARY KEY (tenant, shelf, feature),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);

-- One run and one family of lessons, from its first exposure: shown, or withheld by the coin.
CREATE TABLE hardwon.units (
    tenant text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    run text COLLATE "C" NOT NULL,
    family text COLLATE "C" NOT NULL,
    door text COLLATE "C" NOT NULL,
    withheld boolean NOT NULL,
    share double precision NOT NULL,
    at double precision NOT NULL,
    lesson bigint NOT NULL, -- the first of the family, as it would have been shown
    wording text COLLATE "C" NOT NULL,
    position integer NOT NULL,
    score double precision NOT NULL,
    outcome text COLLATE "C" NOT NULL DEFAULT '',
    PRIMARY KEY (tenant, shelf, run, family),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);

-- The share of runs from which lessons are withheld, where it is less than the settings say.
CREATE TABLE hardwon.proof_shares (
    tenant text COLLATE "C" PRIMARY KEY REFERENCES hardwon.tenants (name) ON DELETE CASCADE,
    share double precision NOT NULL
);

-- The secret of the coin: one for all who share the database.
CREATE TABLE hardwon.proof_salt (salt text NOT NULL);
INSERT INTO hardwon.proof_salt VALUES (replace(gen_random_uuid()::text, '-', ''));

-- What a lesson said before it was changed or deleted; an undo takes the newest back.
CREATE TABLE hardwon.lesson_history (
    tenant text COLLATE "C" NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    shelf bigint NOT NULL,
    lesson bigint NOT NULL,
    act text NOT NULL,
    before text NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);
CREATE INDEX lesson_history_of ON hardwon.lesson_history (tenant, shelf, lesson, id);

-- One row a dream, for good; the first columns bear the published names.
CREATE TABLE hardwon.dream_log (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    started_at double precision NOT NULL,
    duration_seconds double precision NOT NULL,
    memories_consolidated bigint NOT NULL,
    kg_nodes_added bigint NOT NULL,
    reflection text NOT NULL,
    improvements_proposed bigint NOT NULL,
    improvements_json text NOT NULL,
    prefetch_done smallint NOT NULL,
    report text NOT NULL,
    state text NOT NULL,
    created_at double precision NOT NULL,
    shelf bigint NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY, -- the order in which they were written
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);
CREATE INDEX dream_log_recent ON hardwon.dream_log (tenant, shelf, started_at DESC);

-- What a dream did to each lesson, so that it can be undone.
CREATE TABLE hardwon.dream_changes (
    tenant text COLLATE "C" NOT NULL,
    dream text COLLATE "C" NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    lesson bigint NOT NULL,
    project text,
    reason text NOT NULL,
    before text NOT NULL,
    after text NOT NULL,
    tags text NOT NULL,
    PRIMARY KEY (tenant, dream, number),
    FOREIGN KEY (tenant, dream) REFERENCES hardwon.dream_log (tenant, id) ON DELETE CASCADE
);

-- Which batches of notes were counted: one that is sent again after a lost answer counts once.
CREATE TABLE hardwon.folded (
    batch text COLLATE "C" PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now()
);

SELECT hardwon.isolate(name) FROM unnest(ARRAY[
    'shelves', 'lessons', 'fresh', 'terms', 'postings', 'indexed', 'lesson_vectors', 'deliveries',
    'reflections', 'reflection_words', 'failures', 'failure_days', 'odds', 'units', 'proof_shares',
    'lesson_history', 'dream_log', 'dream_changes'
]) AS name;
