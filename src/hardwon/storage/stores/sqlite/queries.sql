-- name: select
SELECT id, shelf, {COLUMNS} FROM lessons

-- name: insert
INSERT INTO lessons (id, shelf, {COLUMNS}) VALUES (?, ?, {MARKS})

-- name: candidates
SELECT {1}, id FROM hardwon.lessons
WHERE {0} AND /*+*/shelf IN (:shelves) AND /*+*/status IN (:statuses)
AND {1} <= :at AND ({1} < :at OR id > :id) AND (:tag = '' OR strpos(tags, :tag) > 0)
ORDER BY {1} DESC, id LIMIT :limit

-- name: by_id
{select} WHERE id = ?

-- name: of_job
{select} WHERE shelf = ? AND job = ? AND job <> ''

-- name: guards
{select} WHERE guard = 1 AND status NOT IN ({0}) ORDER BY id

-- name: bytes
SELECT id, CAST({ALL_TEXT} AS BLOB) FROM lessons

-- name: count
SELECT count(*) FROM (SELECT 1 FROM lessons WHERE {0} LIMIT {1})

-- name: table_folded
CREATE TABLE IF NOT EXISTS folded (batch TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT

-- name: index_folded
CREATE INDEX IF NOT EXISTS folded_at ON folded (at)

-- name: note_folded
INSERT OR IGNORE INTO folded VALUES (?, unixepoch()) RETURNING batch

-- name: forget_folded
DELETE FROM folded WHERE at < unixepoch() - ?
