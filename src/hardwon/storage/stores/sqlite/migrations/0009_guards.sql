-- The few lessons by which a person forbids calls, for every action asks for them.
CREATE INDEX lessons_guard ON lessons (shelf) WHERE guard = 1;
