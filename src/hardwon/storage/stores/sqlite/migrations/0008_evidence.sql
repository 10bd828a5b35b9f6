-- Evidence was text of the form `kind:value`; it is a record of kind, value and time now. Text of
-- another form becomes a note. `met: ` had a blank behind its colon.
UPDATE lessons SET evidence = (
    SELECT coalesce(json_group_array(json_array(e.kind, trim(e.rest), 0)), '[]') FROM (
        SELECT
            CASE WHEN m.is_marked THEN substr(m.value, 1, m.mark - 1) ELSE 'note' END AS kind,
            CASE WHEN m.is_marked THEN substr(m.value, m.mark + 1) ELSE m.value END AS rest
        FROM (
            SELECT value, instr(value, ':') AS mark,
                instr(value, ':') BETWEEN 2 AND 21
                AND substr(value, 1, instr(value, ':') - 1) NOT GLOB '*[^a-z-]*' AS is_marked
            FROM json_each(lessons.evidence)
        ) AS m
    ) AS e
) WHERE evidence <> '[]';

-- The failure kinds that a lesson is about, and what cured them.
ALTER TABLE lessons ADD COLUMN kinds TEXT NOT NULL DEFAULT '[]';
ALTER TABLE lessons ADD COLUMN fixes TEXT NOT NULL DEFAULT '[]';
