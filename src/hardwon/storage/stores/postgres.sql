-- name: raise
UPDATE hardwon.shelves SET version = version + 1, active = active + :more
WHERE tenant = :tenant AND id = :shelf

-- name: try
SELECT pg_try_advisory_xact_lock(:kind::int, :shelf::int)

-- name: take
SELECT id, lesson, entries, is_new FROM hardwon.fresh
WHERE tenant = :tenant AND shelf = :shelf ORDER BY id LIMIT :limit

-- name: remove
DELETE FROM hardwon.fresh
WHERE tenant = :tenant AND shelf = :shelf AND id = ANY(:rows::bigint[])

-- name: around
SELECT a.place, a.lesson, p.first, p.lessons
FROM unnest(:places::bigint[], :lessons::bigint[]) AS a (place, lesson),
LATERAL (
    SELECT first, lessons FROM hardwon.postings
    WHERE tenant = :tenant AND term = a.place / {RANKS} AND rank = a.place % {RANKS}
    AND first <= a.lesson ORDER BY first DESC LIMIT 1
) AS p

-- name: index
INSERT INTO hardwon.indexed (tenant, shelf, lesson, terms)
VALUES (:tenant, :shelf::bigint, :lesson::bigint, :terms::bytea)

-- name: note
INSERT INTO hardwon.fresh (tenant, shelf, lesson, is_new, entries)
VALUES (:tenant, :shelf, :lesson, :is_new, :entries)

-- name: blocks
-- All that a recall reads of the index, in one statement and so of one state: the shelves, waiting
-- rows that are not known yet, and postings.
-- Keys from the rarest, with running sums of their holders: keys within the limit are read whole;
-- of the first key beyond it, only the strongest blocks.
WITH seen AS MATERIALIZED (
    SELECT id, project, active, version, (
        SELECT count(*) FROM hardwon.fresh AS f
        WHERE f.tenant = :tenant AND f.shelf = shelves.id AND f.is_new
    ) AS added FROM hardwon.shelves
    WHERE tenant = :tenant AND agent_id = :agent AND project = ANY(:projects::text[])
),
total AS MATERIALIZED (SELECT coalesce(sum(active + added), 0) AS n FROM seen),
stale AS MATERIALIZED (
    SELECT id FROM seen WHERE (id, version) NOT IN (
        SELECT * FROM unnest(:known_shelves::bigint[], :known_versions::bigint[])
    )
),
most AS MATERIALIZED (
    SELECT CASE WHEN :reach > 0 THEN :reach ELSE
        greatest({LEAST_READ}, least({MOST_READ}, 3 * floor(sqrt(n::double precision))::int))
    END AS n FROM total
),
known AS MATERIALIZED (
    SELECT t.id, asked.term, t.holders, sum(t.holders) OVER (
        ORDER BY t.holders, asked.term COLLATE "C", seen.id ROWS UNBOUNDED PRECEDING
    ) AS upto
    FROM seen, unnest(ARRAY(SELECT unnest(:keys::text[]))) AS asked (term), LATERAL (
        SELECT id, holders FROM hardwon.terms
        WHERE tenant = :tenant AND shelf = seen.id AND term = asked.term OFFSET 0
    ) AS t
),
cut AS MATERIALIZED (
    SELECT k.id, k.term, (most.n - (k.upto - k.holders))::int AS room
    FROM known AS k, most WHERE k.upto > most.n ORDER BY k.upto LIMIT 1
)
SELECT id, project, active::bigint, version, added, NULL::bytea, {SHELF_ROW} FROM seen
UNION ALL
SELECT f.id, f.entries, f.lesson, f.shelf, 0, NULL, {WAITING_ROW} FROM stale, LATERAL (
    SELECT id, CASE WHEN id = ANY(:known_rows::bigint[]) THEN NULL ELSE entries END AS entries,
        lesson, shelf
    FROM hardwon.fresh WHERE tenant = :tenant AND shelf = stale.id OFFSET 0
) AS f
UNION ALL
SELECT id, term, holders, 0, 0, NULL, 0 FROM known
UNION ALL
SELECT k.id, k.term, 0, p.rank, p.first, p.lessons, 0
FROM most, known AS k JOIN hardwon.postings AS p ON p.tenant = :tenant AND p.term = k.id
WHERE k.upto <= most.n
UNION ALL
SELECT c.id, c.term, 0, p.rank, p.first, p.lessons, c.room FROM cut AS c, LATERAL (
    SELECT rank, first, lessons FROM hardwon.postings
    WHERE tenant = :tenant AND term = c.id AND c.room > 0
    ORDER BY rank, first LIMIT c.room / {BLOCK} + {RANKS}
) AS p

-- name: strongest
SELECT lessons FROM hardwon.postings WHERE tenant = :tenant AND term = :term
ORDER BY rank, first LIMIT :most

-- name: waiting
SELECT shelf FROM hardwon.fresh WHERE tenant = :tenant
GROUP BY shelf HAVING count(*) >= :least ORDER BY shelf

-- name: due
INSERT INTO hardwon.folded (batch) VALUES (:batch) ON CONFLICT DO NOTHING RETURNING batch

-- name: note_forgotten
INSERT INTO hardwon.folded (batch) VALUES (:batch)
ON CONFLICT (batch) DO UPDATE SET at = now() RETURNING batch

-- name: forgotten
SELECT batch, extract(epoch FROM at)::float8 FROM hardwon.folded WHERE batch LIKE :batch

-- name: terms
-- Stored counts minus actual counts must be 0. One pass over each table: a join may be planned as
-- a nested loop and take quadratic time.
SELECT count(*) FROM (
    SELECT id FROM (
        SELECT id, holders AS claimed FROM hardwon.terms WHERE tenant = :tenant
        UNION ALL
        SELECT term, -length(lessons) / 5 FROM hardwon.postings WHERE tenant = :tenant
    ) AS counts GROUP BY id HAVING sum(claimed) <> 0
) AS wrong

-- name: entries
SELECT (
    SELECT coalesce(sum(length(terms) / 5), 0)::bigint FROM hardwon.indexed
    WHERE tenant = :tenant
) - (
    SELECT coalesce(sum(length(lessons) / 5), 0)::bigint FROM hardwon.postings
    WHERE tenant = :tenant
)

-- name: shelves
SELECT count(*) FROM (
    SELECT id FROM (
        SELECT id, active AS claimed FROM hardwon.shelves WHERE tenant = :tenant
        UNION ALL
        SELECT shelf, -1 FROM hardwon.indexed WHERE tenant = :tenant
    ) AS counts GROUP BY id HAVING sum(claimed) <> 0
) AS wrong

-- name: shelf
(SELECT id FROM hardwon.shelves
WHERE tenant = :tenant AND agent_id = :agent AND project = :project)

-- name: states
SELECT agent_id, project, version FROM hardwon.shelves
WHERE tenant = :tenant AND agent_id = ANY(:agents) AND project = ANY(:projects)

-- name: marks
-- Every change of a row changes its xmin: a free version mark.
SELECT id, xmin::text::bigint FROM hardwon.lessons
WHERE tenant = :tenant AND shelf = {shelf}

-- name: lessons
SELECT id, shelf, {COLUMNS} FROM hardwon.lessons
WHERE tenant = :tenant AND shelf = {shelf} AND id = ANY(:ids::bigint[]) ORDER BY id

-- name: vectors
SELECT id, lesson, embedder, vector FROM hardwon.lesson_vectors
WHERE tenant = :tenant AND shelf = {shelf}
AND (id > :after OR lesson = ANY(:lessons::bigint[])) ORDER BY id

-- name: share
SELECT share FROM hardwon.proof_shares WHERE tenant = :tenant

-- name: salt
SELECT salt FROM hardwon.proof_salt
