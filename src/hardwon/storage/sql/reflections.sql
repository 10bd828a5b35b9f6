-- name: select
SELECT {REFLECTION}, shelf, id FROM hardwon.reflections WHERE tenant = :tenant AND

-- name: alive
(expires_at IS NULL OR expires_at > :now)

-- name: about
{select} shelf IN (:shelves) AND kind = :kind AND subject = :subject ORDER BY id

-- name: newest
{select} shelf = :shelf AND kind = :kind AND {alive}

-- name: by_id
{select} id IN (:ids) AND {alive} ORDER BY id DESC

-- name: holders
SELECT word, reflection FROM hardwon.reflection_words
WHERE tenant = :tenant AND shelf = :shelf AND kind = :kind AND word = :word

-- name: insert
INSERT INTO hardwon.reflections (tenant, shelf, kind, {REFLECTION})
VALUES (:tenant, :shelf, :kind, {REFLECTION_VALUES}) RETURNING id

-- name: add_word
INSERT INTO hardwon.reflection_words (tenant, shelf, kind, word, reflection)
VALUES (:tenant, :shelf::bigint, :kind::text, :word::text, :id::bigint)

-- name: remove
DELETE FROM hardwon.reflections WHERE tenant = :tenant AND id IN (:ids)

-- name: of_shelf
tenant = :tenant AND shelf = :shelf AND kind = :kind

-- name: expire
DELETE FROM hardwon.reflections WHERE {of_shelf} AND expires_at <= :now

-- name: cap
DELETE FROM hardwon.reflections WHERE {of_shelf} AND id NOT IN (
    SELECT id FROM hardwon.reflections WHERE {of_shelf}
    ORDER BY created_at DESC, id DESC LIMIT :cap
)

-- name: save_dream
INSERT INTO hardwon.dream_log (tenant, shelf, created_at, {DREAM})
VALUES (:tenant, :shelf, :started_at, {DREAM_VALUES})
ON CONFLICT (tenant, id) DO UPDATE SET {DREAM_SET}

-- name: dreams
SELECT {DREAM} FROM hardwon.dream_log WHERE tenant = :tenant AND shelf = :shelf

-- name: find_dream
{dreams} AND substr(id, 1, :length::int) = :dream

-- name: recent_dreams
{dreams} ORDER BY started_at DESC, dream_log.number DESC LIMIT :limit

-- name: has_dream
SELECT 1 FROM hardwon.dream_log WHERE tenant = :tenant AND id = :id

-- name: note_change
INSERT INTO hardwon.dream_changes (tenant, dream, {CHANGE})
VALUES (:tenant, :dream, {CHANGE_VALUES})

-- name: changes
SELECT {CHANGE} FROM hardwon.dream_changes WHERE tenant = :tenant AND dream = :dream
ORDER BY dream_changes.number

-- name: add_version
INSERT INTO hardwon.lesson_history (tenant, shelf, lesson, act, before, at)
VALUES (:tenant, :shelf, :lesson, :act, :before, :at)

-- name: drop_old_versions
DELETE FROM hardwon.lesson_history WHERE tenant = :tenant AND shelf = :shelf AND id NOT IN (
    SELECT id FROM hardwon.lesson_history WHERE tenant = :tenant AND shelf = :shelf
    ORDER BY id DESC LIMIT :kept
)

-- name: versions
SELECT shelf, before, act, at, id FROM hardwon.lesson_history
WHERE {HERE} AND (:lesson::bigint IS NULL OR lesson = :lesson::bigint) ORDER BY id DESC

-- name: forget_version
DELETE FROM hardwon.lesson_history WHERE {HERE} AND id = :id
