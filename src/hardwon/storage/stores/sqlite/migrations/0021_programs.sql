-- The coding agent that made a run; '' where that was not recorded.
ALTER TABLE ended_runs ADD COLUMN program TEXT NOT NULL DEFAULT '';
