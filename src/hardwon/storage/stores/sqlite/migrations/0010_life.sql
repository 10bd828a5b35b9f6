-- A lesson is seen, candidate or proven where it was active. What rules mined without a fix was only
-- seen; what rules or another store said has yet to prove itself; a person's and a model's words
-- were vouched for.
UPDATE lessons SET status = CASE
    WHEN origin = 'mined' AND confidence < 0.5 THEN 'seen'
    WHEN author = 'rules' OR origin = 'pack' OR origin LIKE 'import:%' THEN 'candidate'
    ELSE 'proven'
END
WHERE status = 'active';
