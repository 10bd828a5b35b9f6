-- name: rows
unnest(
    :ids::text[], :tenants::text[], :records::bytea[], :dues::timestamptz[],
    :came::timestamptz[], :attempts::int[], :waits::interval[], :errors::text[],
    :keys::text[]
) AS rows (id, tenant, record, due, enqueued_at, attempts, wait, last_error, key)

-- name: keep
-- Ordered by id, so that two writers of the same jobs do not deadlock. A dead job waits again.
INSERT INTO hardwon.jobs (id, tenant, record, due, enqueued_at, attempts, wait, last_error)
SELECT id, tenant, record, due, enqueued_at, attempts, wait, last_error FROM new ORDER BY id
ON CONFLICT (id) DO UPDATE SET
    state = 0, record = excluded.record, due = excluded.due, wait = excluded.wait,
    enqueued_at = excluded.enqueued_at, attempts = excluded.attempts,
    last_error = excluded.last_error
WHERE jobs.state >= 2
RETURNING id

-- name: add_event
INSERT INTO hardwon.job_events AS known (event, times)

-- name: or_count
ON CONFLICT (event) DO UPDATE SET times = known.times + excluded.times

-- name: kept
kept AS ({keep}), told AS (
    SELECT (SELECT count(*) FROM new) AS new, (SELECT count(*) FROM kept) AS kept
), counted AS (
    {add_event} SELECT 'deduped', new - kept FROM told WHERE new > kept {or_count}
)
SELECT kept FROM told

-- name: put
WITH new AS (SELECT * FROM {rows}), {kept}

-- name: forward
-- A record that was forwarded before is skipped, whatever became of its job.
WITH rows AS (SELECT * FROM {rows}), unknown AS (
    INSERT INTO hardwon.folded (batch) SELECT key FROM rows ORDER BY key
    ON CONFLICT DO NOTHING RETURNING batch
), new AS (
    SELECT rows.* FROM rows JOIN unknown ON key = batch
), {kept}

-- name: claim
-- Jobs that are due, and claimed jobs whose lease has run out.
WITH waiting AS (
    SELECT id, due, seq, last_error FROM hardwon.jobs WHERE state = 0 AND due <= :now
    ORDER BY due, seq LIMIT :most FOR UPDATE SKIP LOCKED
), abandoned AS (
    SELECT id, due, seq, last_error FROM hardwon.jobs WHERE state = 1 AND lease < clock_timestamp()
    ORDER BY lease LIMIT :most FOR UPDATE SKIP LOCKED
), next AS (
    SELECT * FROM waiting UNION ALL SELECT * FROM abandoned ORDER BY due, seq LIMIT :most
), claimed AS (
    UPDATE hardwon.jobs SET state = 1, attempts = jobs.attempts + 1, last_error = '',
        owner = :claim, lease = clock_timestamp() + :lease
    FROM next WHERE jobs.id = next.id
    RETURNING jobs.id, record, jobs.due, enqueued_at, attempts, wait, next.last_error, jobs.seq
)
SELECT * FROM claimed ORDER BY due, seq

-- name: ours
unnest(:ids::text[], :claims::text[]) AS ours (id, claim)
WHERE jobs.id = ours.id AND state = 1 AND owner = ours.claim

-- name: done
DELETE FROM hardwon.jobs USING {ours} RETURNING jobs.id

-- name: retry
UPDATE hardwon.jobs SET state = 0, owner = '', lease = NULL, due = :due, attempts = :attempts,
    wait = :wait, last_error = :error FROM {ours} RETURNING jobs.id

-- name: bury
UPDATE hardwon.jobs SET state = 2, owner = '', lease = NULL, attempts = :attempts,
    last_error = :error FROM {ours} RETURNING jobs.id

-- name: unknown
-- Claimed for this process without its knowledge: the answer was lost.
UPDATE hardwon.jobs SET state = 0, owner = '', lease = NULL, attempts = attempts - 1
WHERE state = 1 AND starts_with(owner, :process) AND NOT owner = ANY(:claims)

-- name: hand_back
UPDATE hardwon.jobs SET state = 0, owner = '', lease = NULL, attempts = jobs.attempts - 1
FROM {ours}

-- name: remove
DELETE FROM hardwon.jobs WHERE id = :id AND state = ANY(:states) RETURNING id

-- name: set_aside
WITH broken AS (
    UPDATE hardwon.jobs SET state = 3, owner = '', lease = NULL WHERE id = ANY(:ids)
    RETURNING id
)
{add_event} SELECT 'corrupt', count(*) FROM broken HAVING count(*) > 0 {or_count}

-- name: bury_stale
WITH old AS (
    SELECT id FROM hardwon.jobs WHERE state = 0 AND enqueued_at < :before
    ORDER BY id LIMIT :most FOR UPDATE SKIP LOCKED
), buried AS (
    UPDATE hardwon.jobs SET state = 2, last_error = :reason FROM old WHERE jobs.id = old.id
    RETURNING jobs.id
)
{add_event} SELECT 'stale', count(*) FROM buried HAVING count(*) > 0 {or_count}

-- name: wrong_clocks
-- Jobs that a fast clock would keep waiting.
WITH late AS (
    SELECT id FROM hardwon.jobs
    WHERE state = 0 AND due > :now AND (
        attempts = 0 AND due <= enqueued_at OR due - :now > greatest(wait, :longest)
    )
    ORDER BY id LIMIT :most FOR UPDATE SKIP LOCKED
)
UPDATE hardwon.jobs SET due = :now FROM late WHERE jobs.id = late.id

-- name: revive
UPDATE hardwon.jobs SET state = 0, attempts = 0, last_error = '', wait = '0', enqueued_at = :now,
    due = :now
WHERE id = :id AND state = 2 RETURNING id

-- name: list
SELECT {COLUMNS} FROM hardwon.jobs WHERE state = ANY(:states) ORDER BY enqueued_at, seq

-- name: counts
SELECT state, count(*) FROM hardwon.jobs GROUP BY state

-- name: events
SELECT event, times FROM hardwon.job_events

-- name: forget_forwarded
DELETE FROM hardwon.folded WHERE batch IN (
    SELECT batch FROM hardwon.folded WHERE at < clock_timestamp() - :age
    ORDER BY at LIMIT :most FOR UPDATE SKIP LOCKED
)
