-- name: shelves
SELECT s.agent_id, s.project, count(*) FROM hardwon.lessons AS l
JOIN hardwon.shelves AS s ON s.tenant = l.tenant AND s.id = l.shelf
WHERE l.tenant = :tenant AND l.shelf IN (:shelves) AND l.status IN ('candidate', 'proven')
GROUP BY s.agent_id, s.project ORDER BY count(*) DESC, s.agent_id, s.project

-- name: forget
DELETE FROM hardwon.tenants WHERE name = :tenant

-- name: from
tenant = :tenant AND shelf = :old

-- name: move_failures
INSERT INTO hardwon.failures AS f (tenant, shelf, signature, text, met_count, first_at, last_at)
SELECT tenant, :new, signature, text, met_count, first_at, last_at
FROM hardwon.failures WHERE {from} ON CONFLICT (tenant, shelf, signature) DO UPDATE
SET met_count = f.met_count + excluded.met_count,
    first_at = least(f.first_at, excluded.first_at),
    last_at = greatest(f.last_at, excluded.last_at)

-- name: move_days
INSERT INTO hardwon.failure_days AS d (tenant, shelf, day, signature, met)
SELECT tenant, :new, day, signature, met FROM hardwon.failure_days WHERE {from}
ON CONFLICT (tenant, shelf, day, signature) DO UPDATE SET met = d.met + excluded.met

-- name: move_units
UPDATE hardwon.units AS u SET shelf = :new WHERE {from} AND NOT EXISTS (
    SELECT 1 FROM hardwon.units AS o WHERE o.tenant = u.tenant AND o.shelf = :new
    AND o.run = u.run AND o.family = u.family
)

-- name: move_deliveries
UPDATE hardwon.deliveries SET shelf = :new WHERE {from}

-- name: move_runs
UPDATE hardwon.ended_runs SET shelf = :new WHERE {from}

-- name: move_reflections
UPDATE hardwon.reflections AS r SET shelf = :new WHERE {from} AND NOT EXISTS (
    SELECT 1 FROM hardwon.reflections AS o WHERE o.tenant = r.tenant AND o.shelf = :new
    AND o.kind = r.kind AND o.subject = r.subject AND o.job = r.job AND r.job <> ''
)

-- name: move_words
UPDATE hardwon.reflection_words SET shelf = :new WHERE {from} AND reflection IN (
    SELECT id FROM hardwon.reflections WHERE tenant = :tenant AND shelf = :new
)

-- name: move_known_reflections
DELETE FROM hardwon.reflections WHERE {from}

-- name: move_shelf
DELETE FROM hardwon.shelves WHERE shelves.tenant = :tenant AND id = :old AND NOT EXISTS (
    SELECT 1 FROM hardwon.lessons WHERE tenant = :tenant AND shelf = :old
)
