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

-- name: last
SELECT a.value, p.first, p.lessons FROM json_each(?) AS a CROSS JOIN postings AS p
ON p.term = a.value / {RANKS} AND p.rank = a.value % {RANKS} AND p.first = (
    SELECT max(first) FROM postings WHERE term = a.value / {RANKS} AND rank = a.value % {RANKS}
)

-- name: around
SELECT a.value, p.first, p.lessons FROM json_each(?) AS a CROSS JOIN postings AS p
ON p.term = (a.value >> 32) / {RANKS} AND p.rank = (a.value >> 32) % {RANKS} AND p.first = (
    SELECT max(first) FROM postings WHERE term = (a.value >> 32) / {RANKS}
    AND rank = (a.value >> 32) % {RANKS} AND first <= (a.value & 0xffffffff)
)

-- name: add_term
INSERT INTO terms (id, shelf, term, holders) VALUES (?, ?, ?, ?)

-- name: newest_term
SELECT seq FROM sqlite_sequence WHERE name = 'terms'

-- name: count_holders
UPDATE terms SET holders = holders + ? WHERE id = ?

-- name: count_lessons
UPDATE shelves SET active = active + ? WHERE id = ?

-- name: numbers
SELECT t.term, t.id FROM json_each(?) AS asked
CROSS JOIN terms AS t ON t.shelf = ? AND t.term = asked.value

-- name: add_block
INSERT INTO postings VALUES (?, ?, ?, ?)

-- name: change_block
UPDATE postings SET lessons = ? WHERE term = ? AND rank = ? AND first = ?

-- name: drop_block
DELETE FROM postings WHERE term = ? AND rank = ? AND first = ?

-- name: indexed
SELECT lesson, terms FROM indexed WHERE lesson IN (SELECT value FROM json_each(?))

-- name: add_indexed
INSERT INTO indexed VALUES (?, ?)

-- name: drop_indexed
DELETE FROM indexed WHERE lesson = ?

-- name: text_of_lessons
INSERT INTO lesson_text (rowid, situation, mistake, correction, tags)
SELECT id, situation, mistake, correction, tags FROM lessons

-- name: add_texts
{text_of_lessons} WHERE id > (SELECT last FROM lesson_text_reach) ORDER BY id

-- name: add_text
{text_of_lessons} WHERE id = ? AND id <= (SELECT last FROM lesson_text_reach)

-- name: note_reach
UPDATE lesson_text_reach SET last = max(last, coalesce((SELECT max(id) FROM lessons), 0))
