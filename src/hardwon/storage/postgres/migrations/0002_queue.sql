-- Jobs that wait, are claimed or are dead. The record is that of the published format; the columns
-- beside it tell what changed since it was put.
CREATE TABLE hardwon.jobs (
    id text COLLATE "C" PRIMARY KEY, -- the content address, which the scope is part of
    tenant text COLLATE "C" NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY,
    record bytea NOT NULL,
    state smallint NOT NULL DEFAULT 0, -- 0 waits, 1 claimed, 2 dead, 3 unreadable
    due timestamptz NOT NULL,
    enqueued_at timestamptz NOT NULL,
    attempts integer NOT NULL,
    wait interval NOT NULL,
    last_error text NOT NULL,
    owner text NOT NULL DEFAULT '', -- with `attempts` the token without which nobody settles it
    lease timestamptz
) WITH (
    fillfactor = 75,
    autovacuum_vacuum_scale_factor = 0.01, -- every job leaves a dead row
    autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX jobs_waiting ON hardwon.jobs (due, seq) WHERE state = 0;
CREATE INDEX jobs_claimed ON hardwon.jobs (lease) WHERE state = 1;
CREATE INDEX folded_at ON hardwon.folded (at);

-- How often something happened to jobs, in all processes, ever.
CREATE TABLE hardwon.job_events (
    event text COLLATE "C" PRIMARY KEY,
    times bigint NOT NULL
);

-- A queue serves all tenants: it names itself by a blank, which no tenant can be called.
ALTER TABLE hardwon.jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.jobs
USING (current_setting('hardwon.tenant') IN (tenant, ' '))
WITH CHECK (current_setting('hardwon.tenant') IN (tenant, ' '));
