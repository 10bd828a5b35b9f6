-- What is left of a run that has ended: counts, and in JSON its steps with what it was shown when.
CREATE TABLE hardwon.ended_runs (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    run text COLLATE "C" NOT NULL,
    task text NOT NULL,
    begun_at double precision NOT NULL,
    ended_at double precision NOT NULL,
    outcome text NOT NULL,
    made integer NOT NULL,
    failed integer NOT NULL,
    told integer NOT NULL,
    kinds text NOT NULL,
    steps text NOT NULL,
    shown text NOT NULL,
    shelf bigint NOT NULL,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);
CREATE INDEX ended_runs_recent ON hardwon.ended_runs (tenant, shelf, ended_at DESC, id);
SELECT hardwon.isolate('ended_runs');
