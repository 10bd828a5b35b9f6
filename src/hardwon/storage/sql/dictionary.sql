-- name: numbers
SELECT term, id FROM hardwon.terms WHERE tenant = :tenant AND shelf = :shelf AND term = :term

-- name: add_terms
INSERT INTO hardwon.terms (tenant, id, shelf, term, holders) OVERRIDING SYSTEM VALUE
VALUES (:tenant, :id::bigint, :shelf::bigint, :term::text, :holders::int)

-- name: count_holders
UPDATE hardwon.terms SET holders = holders + :more::int WHERE tenant = :tenant AND id = :id::bigint

-- name: drop_blocks
DELETE FROM hardwon.postings WHERE tenant = :tenant AND term = :term::bigint
AND rank = :rank::int AND first = :first::bigint

-- name: keep_blocks
INSERT INTO hardwon.postings (tenant, term, rank, first, lessons)
VALUES (:tenant, :term::bigint, :rank::int, :first::bigint, :lessons::bytea)
ON CONFLICT (tenant, term, rank, first) DO UPDATE SET lessons = excluded.lessons

-- name: indexed
SELECT lesson, terms FROM hardwon.indexed WHERE tenant = :tenant AND lesson = :lesson

-- name: unindex
DELETE FROM hardwon.indexed WHERE tenant = :tenant AND lesson = :lesson::bigint
