-- name: add_delivery
INSERT INTO hardwon.deliveries (tenant, {DELIVERY}) VALUES (:tenant, {DELIVERY_VALUES})
ON CONFLICT DO NOTHING

-- name: count_hit
UPDATE hardwon.lessons SET hit_count = hit_count + 1, last_seen_at = greatest(last_seen_at, :at)
WHERE {HERE} AND id = :lesson

-- name: set_outcome
UPDATE hardwon.deliveries SET outcome = :outcome
WHERE tenant = :tenant AND id = :id AND shelf = :shelf AND (outcome = '' OR :anyway::boolean)

-- name: recent_deliveries
SELECT {DELIVERY} FROM hardwon.deliveries WHERE {HERE} ORDER BY at DESC, id DESC LIMIT :limit

-- name: count_failure
INSERT INTO hardwon.failures AS f (tenant, shelf, signature, text, met_count, first_at, last_at)
VALUES (:tenant, :shelf, :signature, :text, :met, :first, :last)
ON CONFLICT (tenant, shelf, signature) DO UPDATE SET met_count = f.met_count + excluded.met_count,
    first_at = least(f.first_at, excluded.first_at), last_at = greatest(f.last_at, excluded.last_at)

-- name: count_day
INSERT INTO hardwon.failure_days AS d (tenant, shelf, day, signature, met)
VALUES (:tenant, :shelf, :day, :signature, :met)
ON CONFLICT (tenant, shelf, day, signature) DO UPDATE SET met = d.met + excluded.met

-- name: commonest
SELECT min(text), sum(met_count)::bigint AS met FROM hardwon.failures WHERE {HERE}
GROUP BY signature ORDER BY met DESC, min(text) LIMIT :limit

-- name: recent_runs
SELECT {BRIEF_RUN} FROM hardwon.ended_runs WHERE {HERE}
AND ended_at <= :at AND (ended_at < :at OR id > :id) AND strpos(lower(task), :text) > 0
AND (:met = '' OR strpos(kinds, :met) > 0) AND (:person = '' OR person = :person)
ORDER BY ended_at DESC, id LIMIT :limit

-- name: who_met
SELECT shelf, person, machine, program, count(*), max(ended_at) FROM hardwon.ended_runs
WHERE {HERE} AND strpos(kinds, :met) > 0
GROUP BY shelf, person, machine, program ORDER BY 5 DESC, 6 DESC, 1 LIMIT :limit

-- name: find_run
SELECT {ENDED_RUN} FROM hardwon.ended_runs WHERE {HERE} AND id >= :id AND id < :end
ORDER BY ended_at DESC, id LIMIT 1

-- name: latest_runs
-- Without those that were cut: their steps are an object.
SELECT id FROM hardwon.ended_runs
WHERE {HERE} AND ended_at >= :since AND substr(steps, 1, 1) = '['
ORDER BY ended_at DESC, id LIMIT :limit

-- name: runs_by_id
SELECT {ENDED_RUN} FROM hardwon.ended_runs WHERE tenant = :tenant AND id IN (:ids)

-- name: delete_old_runs
DELETE FROM hardwon.ended_runs WHERE {HERE} AND (ended_at < :before OR id NOT IN (
    SELECT id FROM hardwon.ended_runs WHERE {HERE} ORDER BY ended_at DESC, id LIMIT :most
)) RETURNING id

-- name: old_runs
SELECT id, steps FROM hardwon.ended_runs WHERE {HERE} AND ended_at < :before AND id > :after
ORDER BY id LIMIT :limit

-- name: cut_run
UPDATE hardwon.ended_runs SET steps = :steps, shown = '[]' WHERE tenant = :tenant AND id = :id

-- name: delete_run
DELETE FROM hardwon.ended_runs WHERE tenant = :tenant AND id = :id

-- name: citing
SELECT id, evidence FROM hardwon.lessons WHERE tenant = :tenant AND id > :after
AND /*+*/shelf IN (:shelves) AND (
    strpos(evidence, '"steps"') > 0 OR strpos(evidence, '"confirmed"') > 0
    OR strpos(evidence, '"weakened"') > 0
) ORDER BY id LIMIT :limit

-- name: keep_run
-- A run of another scope stays: whoever sends a run chooses its id.
INSERT INTO hardwon.ended_runs AS kept (tenant, {ENDED_RUN}) VALUES (:tenant, {RUN_VALUES})
ON CONFLICT (tenant, id) DO UPDATE SET {RUN_SET} WHERE kept.shelf = excluded.shelf

-- name: past
SELECT digest, state FROM hardwon.past_runs
WHERE tenant = :tenant AND shelf = :shelf AND digest IN (:digests)

-- name: note_past
INSERT INTO hardwon.past_runs (tenant, shelf, digest, state)
VALUES (:tenant, :shelf, :digest, :state)
ON CONFLICT (tenant, shelf, digest) DO UPDATE SET state = excluded.state

-- name: add_unit
INSERT INTO hardwon.units (tenant, shelf, {UNIT})
VALUES (:tenant, :shelf, {UNIT_VALUES}) ON CONFLICT DO NOTHING

-- name: arms
-- The counts of units by outcome: the columns, and where they come from.
    count(*) FILTER (WHERE known AND NOT withheld),
    count(*) FILTER (WHERE repeated AND NOT withheld),
    count(*) FILTER (WHERE known AND withheld),
    count(*) FILTER (WHERE repeated AND withheld),
    count(*) FILTER (WHERE NOT known)
FROM (
    SELECT *, outcome = 'repeated' AS repeated, outcome IN ('repeated', 'not met') AS known
    FROM hardwon.units WHERE {HERE} AND at >= :since
) AS u

-- name: arms_by
SELECT {0}, {arms} GROUP BY {1} ORDER BY {1}

-- name: share
SELECT share FROM hardwon.proof_shares WHERE proof_shares.tenant = :tenant

-- name: set_share
INSERT INTO hardwon.proof_shares (share, tenant)
SELECT :share::float8, tenants.key FROM hardwon.tenants WHERE name = :tenant
ON CONFLICT (tenant) DO UPDATE SET share = excluded.share

-- name: exclude
UPDATE hardwon.units SET outcome = :outcome
WHERE tenant = :tenant AND shelf = :shelf AND family IN (:families) AND outcome = '' AND at <= :now

-- name: settle
UPDATE hardwon.units SET outcome = :outcome
WHERE tenant = :tenant AND shelf = :shelf AND run = :run AND family = :family AND outcome = ''

-- name: salt
SELECT salt FROM hardwon.proof_salt
