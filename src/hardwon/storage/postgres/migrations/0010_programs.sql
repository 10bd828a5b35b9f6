-- The coding agent that made a run; '' where that was not recorded.
ALTER TABLE hardwon.ended_runs ADD COLUMN program text NOT NULL DEFAULT '';
