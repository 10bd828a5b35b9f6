-- name: add
INSERT INTO fresh (shelf, lesson, is_new, entries) VALUES (?, ?, ?, ?)

-- name: span
SELECT (SELECT min(id) FROM fresh), (SELECT max(id) FROM fresh)

-- name: oldest
SELECT shelf, lesson, is_new, entries, id FROM fresh ORDER BY id LIMIT ?

-- name: later
SELECT shelf, lesson, is_new, entries FROM fresh WHERE id > ? ORDER BY id

-- name: remove
DELETE FROM fresh WHERE id <= ?

-- name: terms
SELECT t.id, t.term, t.holders, t.shelf, p.lessons FROM terms AS t
LEFT JOIN postings AS p ON p.term = t.id AND t.holders <= ?
WHERE t.shelf IN ({0}) AND t.term IN ({1}) ORDER BY t.holders, t.term, t.shelf

-- name: postings
SELECT term, lessons FROM postings WHERE term IN ({0})

-- name: strongest
SELECT lessons FROM postings WHERE term = ? ORDER BY rank, first LIMIT ?
