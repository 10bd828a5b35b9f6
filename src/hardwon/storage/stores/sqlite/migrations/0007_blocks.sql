-- The dictionary keeps the lessons of a key in blocks instead of rows: a fifth of the writing, and
-- a recall reads a few rows instead of hundreds. Everything in it waits once more to be moved there.
-- The ids are below all others: what waited before is newer.
INSERT INTO fresh (id, shelf, lesson, is_new, entries)
SELECT l.id - 1099511627776, l.shelf, l.id, 1, (
    SELECT json_group_object(t.term, json_extract(e.value, '$[1]'))
    FROM json_each(i.entries) AS e JOIN terms AS t ON t.id = json_extract(e.value, '$[0]')
)
FROM indexed AS i JOIN lessons AS l ON l.id = i.lesson
WHERE NOT EXISTS (SELECT 1 FROM fresh AS f WHERE f.lesson = l.id);
UPDATE shelves SET active = 0;
DROP TABLE postings;
DROP TABLE indexed;
DELETE FROM terms;

-- Numbers of four bytes, then for each a byte of impact; within a block by number. New lessons have
-- the highest numbers, so that keeping one appends to the last block of a key and a rank.
CREATE TABLE postings (
    term INTEGER NOT NULL REFERENCES terms (id) ON DELETE CASCADE,
    rank INTEGER NOT NULL, -- 0 for the strongest impacts, 7 for the weakest
    first INTEGER NOT NULL, -- no lesson of the block has a smaller number
    lessons BLOB NOT NULL,
    PRIMARY KEY (term, rank, first)
) STRICT, WITHOUT ROWID;

-- What was written to the dictionary for a lesson, so that exactly this can be taken out again.
CREATE TABLE indexed (
    lesson INTEGER PRIMARY KEY REFERENCES lessons (id) ON DELETE CASCADE,
    terms BLOB NOT NULL -- packed like the lessons of a block
) STRICT;

-- The text index says which lessons hold three letters, not where: a fifth of the size.
DROP TABLE lesson_text;
CREATE VIRTUAL TABLE lesson_text USING fts5 (
    situation, mistake, correction, tags,
    content = 'lessons', content_rowid = 'id', tokenize = 'trigram', detail = 'none'
);
UPDATE lesson_text_reach SET last = 0;
