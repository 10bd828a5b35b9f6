-- How far past sessions were recorded: a digest of all calls up to a point, and what it takes to go on.
CREATE TABLE hardwon.past_runs (
    tenant text COLLATE "C" NOT NULL,
    shelf bigint NOT NULL,
    digest text COLLATE "C" NOT NULL,
    state text NOT NULL,
    PRIMARY KEY (tenant, shelf, digest),
    FOREIGN KEY (tenant, shelf) REFERENCES hardwon.shelves (tenant, id) ON DELETE CASCADE
);
SELECT hardwon.isolate('past_runs');
