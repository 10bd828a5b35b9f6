-- name: read
SELECT id, shelf, {COLUMNS}

-- name: select
{read} FROM hardwon.lessons WHERE tenant = :tenant AND

-- name: insert
INSERT INTO hardwon.lessons (tenant, shelf, {COLUMNS})
VALUES (:tenant, :shelf, {VALUES})
ON CONFLICT (tenant, shelf, job) WHERE job <> '' DO NOTHING RETURNING id

-- name: insert_numbered
INSERT INTO hardwon.lessons (tenant, id, shelf, {COLUMNS}) OVERRIDING SYSTEM VALUE
VALUES (:tenant, :id, :shelf, {VALUES})

-- name: of_job
{select} shelf = :shelf AND job = :job AND job <> ''

-- name: update
-- Hits that were counted since the lesson was read are kept.
UPDATE hardwon.lessons SET {ASSIGNED}, hit_count = hit_count + :hit_count - :known_hits
WHERE tenant = :tenant AND id = :id AND shelf = :shelf

-- name: delete
DELETE FROM hardwon.lessons WHERE tenant = :tenant AND id = :id AND shelf = :shelf

-- name: own
{select} id = :id AND shelf = :shelf FOR UPDATE

-- name: get
{select} id = :id AND shelf IN {SEEN}

-- name: recent
-- The ids are found in the index alone: lessons of a pack were all consulted at one moment.
{select} id IN (
    SELECT id FROM hardwon.lessons
    WHERE tenant = :tenant AND shelf = :shelf AND status = :status
    ORDER BY last_seen_at DESC, id DESC LIMIT :limit
)

-- name: search
SELECT id FROM hardwon.lessons WHERE tenant = :tenant AND {0}
AND /*+*/shelf IN (:shelves) AND /*+*/status IN (:statuses)
ORDER BY hit_count DESC, last_seen_at DESC, id DESC

-- name: with_text
{read}, {SEARCHED} FROM hardwon.lessons WHERE tenant = :tenant AND id = :id

-- name: matched
{select} id = :id AND /*+*/shelf IN (EACH :shelves::bigint[])
AND /*+*/status IN (:statuses) AND (expires_at IS NULL OR expires_at > :now)
AND (origin <> '{MINED}' OR id IN (EACH :mined::bigint[]))

-- name: usual
SELECT met_count, updated_at, id FROM hardwon.lessons
WHERE tenant = :tenant AND shelf = :shelf AND status = :status AND met_count > 1

-- name: guards
{select} shelf IN {SEEN} AND guard AND status NOT IN (:shelved)

-- name: page
{select} id > :after AND /*+*/shelf IN (:shelves) AND /*+*/status IN (:statuses)
ORDER BY id LIMIT :limit

-- name: every
{select} id > :after AND /*+*/shelf IN (:shelves) ORDER BY id LIMIT :limit
