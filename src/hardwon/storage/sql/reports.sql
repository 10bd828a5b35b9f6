-- name: met
SELECT day, sum(met)::bigint FROM hardwon.failure_days WHERE {HERE} AND day >= :first
GROUP BY day ORDER BY day

-- name: kinds
SELECT d.signature, min(f.text), d.met, min(f.first_at), max(f.last_at) FROM (
    SELECT signature, sum(met)::bigint AS met FROM hardwon.failure_days
    WHERE {HERE} AND day >= :first GROUP BY signature ORDER BY met DESC, signature LIMIT :limit
) AS d JOIN (SELECT * FROM hardwon.failures WHERE {HERE}) AS f ON f.signature = d.signature
GROUP BY d.signature, d.met ORDER BY d.met DESC, d.signature

-- name: stopped
SELECT signature, min(text), sum(met_count)::bigint AS met, min(first_at), max(last_at)
FROM hardwon.failures WHERE {HERE} GROUP BY signature
HAVING sum(met_count) >= 2 AND max(last_at) >= :since AND max(last_at) < :before
ORDER BY met DESC, signature LIMIT :limit

-- name: deliveries
-- Grouped by shelf first, in the order of SQLite's index: a million rows are not sorted.
SELECT door, outcome, day, sum(times)::bigint, sum(tokens)::bigint FROM (
    SELECT shelf, DAY_OF(at) AS day, door, outcome, count(*) AS times, sum(tokens) AS tokens
    FROM hardwon.deliveries WHERE {HERE} AND DAY_OF(at) >= :first
    GROUP BY shelf, DAY_OF(at), door, outcome
) AS d GROUP BY day, door, outcome ORDER BY day, door, outcome

-- name: lessons
SELECT status, count(*) FROM hardwon.lessons WHERE {HERE} GROUP BY status

-- name: new_lessons
-- Lessons not updated since cannot be new; the index shows that without reading rows.
SELECT status, count(*) FROM hardwon.lessons
WHERE {HERE} AND updated_at >= :new AND created_at >= :new GROUP BY status

-- name: unsolved
SELECT id, situation, met_count, updated_at FROM hardwon.lessons
WHERE {HERE} AND status = 'seen' AND met_count >= 2 AND updated_at >= :since
ORDER BY met_count DESC, id LIMIT :limit

-- name: exposures
SELECT door, outcome, count(*), max(at) AS last FROM hardwon.deliveries
WHERE {HERE} AND LIST_HAS(lessons, :lesson)
GROUP BY door, outcome ORDER BY last DESC, door, outcome

-- name: days
SELECT signature, day, sum(met)::bigint FROM hardwon.failure_days
WHERE {HERE} AND day >= :first AND signature IN (:kinds) GROUP BY signature, day ORDER BY day

-- name: strata
SELECT s.project, u.door, coalesce(l.author, '') AS author, u.share, {ARMS}
JOIN hardwon.shelves AS s ON s.tenant = :tenant AND s.id = u.shelf
LEFT JOIN hardwon.lessons AS l ON l.tenant = :tenant AND l.id = u.lesson
GROUP BY 1, 2, 3, 4

-- name: lesson_ids
-- In the order of the indexes `lessons_recent` and `lessons_met`.
SELECT {1}, id FROM hardwon.lessons
WHERE tenant = :tenant AND {0} AND shelf = :shelf AND status = :status
AND {1} <= :at AND ({1} < :at OR id > :id) AND (:tag = '' OR strpos(tags, :tag) > 0)

-- name: delivery_rows
SELECT {DELIVERY} FROM hardwon.deliveries WHERE tenant = :tenant AND shelf = :shelf
AND at <= :at AND (at < :at OR id > :id)

-- name: kinds_page
SELECT signature, met FROM (
    SELECT signature, sum(met)::bigint AS met FROM hardwon.failure_days
    WHERE {HERE} AND day >= :first AND (:only = '' OR signature = :only)
    AND (:text = '' OR signature IN (
        SELECT signature FROM hardwon.failures WHERE {HERE} AND strpos(lower(text), :text) > 0
    )) GROUP BY signature
) AS k WHERE met <= :met AND (met < :met OR signature > :kind)
ORDER BY met DESC, signature LIMIT :limit

-- name: facts
SELECT signature, text, first_at, last_at, shelf FROM hardwon.failures
WHERE {HERE} AND signature IN (:kinds) ORDER BY last_at
