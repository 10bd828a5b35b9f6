-- name: is_ready
SELECT 1 FROM sqlite_master WHERE name = 'copied_shelves'

-- name: vectors
-- Separate from the others: copies of older releases lack it.
CREATE TABLE IF NOT EXISTS copied_vectors (shelf INTEGER PRIMARY KEY, last INTEGER NOT NULL) STRICT

-- name: create_lessons
CREATE TABLE copied_lessons
(lesson INTEGER PRIMARY KEY, shelf INTEGER NOT NULL, mark INTEGER NOT NULL) STRICT

-- name: create_shelves
CREATE TABLE copied_shelves
(shelf INTEGER PRIMARY KEY, version INTEGER NOT NULL, touched INTEGER NOT NULL) STRICT

-- name: create_trigger
CREATE TRIGGER lesson_changed_here AFTER UPDATE ON lessons
BEGIN DELETE FROM copied_lessons WHERE lesson = old.id; END

-- name: create_numbers
INSERT INTO sqlite_sequence (name, seq) VALUES ('lessons', {PROVISIONAL})

-- name: version
SELECT version FROM copied_shelves WHERE shelf = ?

-- name: note_shelf
INSERT OR REPLACE INTO copied_shelves VALUES (?, ?, ?)

-- name: marks
SELECT lesson, mark FROM copied_lessons WHERE shelf = ?

-- name: note_lesson
INSERT OR REPLACE INTO copied_lessons VALUES (?, ?, ?)

-- name: forget_lessons
DELETE FROM copied_lessons WHERE lesson IN ({0})

-- name: numbers
SELECT id FROM lessons WHERE shelf = ? AND id < ?

-- name: provisional
SELECT id, shelf FROM lessons WHERE id >= ? AND tags NOT LIKE ?

-- name: last_vector
SELECT last FROM copied_vectors WHERE shelf = ?

-- name: note_vector
INSERT OR REPLACE INTO copied_vectors VALUES (?, ?)

-- name: keep_vector
INSERT OR REPLACE INTO lesson_vectors (lesson, shelf, embedder, vector) VALUES (?, ?, ?, ?)

-- name: set_share
INSERT OR REPLACE INTO proof_shares SELECT id, ? FROM tenants WHERE name = ?

-- name: salt
SELECT salt FROM proof_salt

-- name: set_salt
UPDATE proof_salt SET salt = ?
