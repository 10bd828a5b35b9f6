-- name: of_tenant
(SELECT id FROM hardwon.shelves WHERE shelves.tenant = :tenant)

-- name: able
status IN ('candidate', 'proven') AND /*+*/shelf IN {of_tenant}

-- name: lacking
SELECT id, situation, mistake, correction FROM hardwon.lessons AS l
WHERE l.tenant = :tenant AND id > :after AND {able} AND NOT EXISTS (
    SELECT 1 FROM hardwon.lesson_vectors AS v
    WHERE v.tenant = :tenant AND v.lesson = l.id AND v.embedder = :embedder
) ORDER BY id LIMIT :limit

-- name: lock
-- The shelf's row is locked before a vector gets its number, so that the vectors of one shelf
-- become visible in the order of their numbers.
SELECT id FROM hardwon.shelves WHERE shelves.tenant = :tenant AND id IN (
    SELECT shelf FROM hardwon.lessons WHERE tenant = :tenant AND id IN (:ids)
) ORDER BY id FOR UPDATE

-- name: add
INSERT INTO hardwon.lesson_vectors (tenant, lesson, shelf, embedder, vector)
SELECT :tenant, id, shelf, :embedder, :vector FROM hardwon.lessons
WHERE tenant = :tenant AND id = :lesson AND situation = :situation AND mistake = :mistake
AND correction = :correction AND {able}

-- name: replace
DELETE FROM hardwon.lesson_vectors
WHERE tenant = :tenant AND shelf IN (:shelves) AND lesson IN (:ids)

-- name: drop_other_lengths
DELETE FROM hardwon.lesson_vectors WHERE tenant = :tenant AND embedder = :embedder
AND shelf IN {of_tenant} AND length(vector) NOT IN (:lengths)

-- name: counts
SELECT (
    SELECT count(*) FROM hardwon.lesson_vectors
    WHERE tenant = :tenant AND embedder = :embedder AND shelf IN {of_tenant}
), (SELECT count(*) FROM hardwon.lessons WHERE tenant = :tenant AND {able})

-- name: added
SELECT id, vector FROM hardwon.lesson_vectors WHERE tenant = :tenant AND embedder = :embedder
AND shelf = :shelf AND id > :last AND length(vector) = :length ORDER BY id

-- name: exact
SELECT lesson, vector FROM hardwon.lesson_vectors WHERE tenant = :tenant AND id = :id
