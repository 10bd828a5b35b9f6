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
