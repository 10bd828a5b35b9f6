-- name: add
INSERT INTO fresh (shelf, lesson, is_new, entries) VALUES (?, ?, ?, ?)

-- name: span
SELECT (SELECT min(id) FROM fresh), (SELECT max(id) FROM fresh)

-- name: later
SELECT shelf, lesson, is_new, entries FROM fresh WHERE id > ? ORDER BY id

-- name: clear
DELETE FROM fresh

-- name: terms
SELECT t.id, t.term, t.holders, t.shelf, p.lessons FROM terms AS t
LEFT JOIN postings AS p ON p.term = t.id AND t.holders <= ?
WHERE t.shelf IN ({0}) AND t.term IN ({1}) ORDER BY t.holders, t.term, t.shelf

-- name: postings
SELECT term, lessons FROM postings WHERE term IN ({0})

-- name: strongest
SELECT lessons FROM postings WHERE term = ? ORDER BY rank, first LIMIT ?

-- name: around
SELECT a.value, p.first, p.lessons FROM json_each(:targets) AS a CROSS JOIN postings AS p
ON p.term = (a.value >> 32) / {RANKS} AND p.rank = (a.value >> 32) % {RANKS} AND p.first = (
    SELECT max(first) FROM postings WHERE term = (a.value >> 32) / {RANKS}
    AND rank = (a.value >> 32) % {RANKS} AND first <= (a.value & 0xffffffff)
)

-- name: count_lessons
UPDATE shelves SET active = active + ? WHERE id = ?

-- name: index
INSERT INTO indexed (lesson, terms) VALUES (:lesson, :terms)

-- name: text_of_lessons
INSERT INTO lesson_text (rowid, situation, mistake, correction, tags)
SELECT id, situation, mistake, correction, tags FROM lessons

-- name: add_texts
{text_of_lessons} WHERE id > (SELECT last FROM lesson_text_reach) ORDER BY id

-- name: add_text
{text_of_lessons} WHERE id = ? AND id <= (SELECT last FROM lesson_text_reach)

-- name: note_reach
UPDATE lesson_text_reach SET last = max(last, coalesce((SELECT max(id) FROM lessons), 0))

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
