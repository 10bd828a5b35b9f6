-- Who had a run made, and on which machine; '' where that was not recorded.
ALTER TABLE hardwon.ended_runs ADD COLUMN person text NOT NULL DEFAULT '';
ALTER TABLE hardwon.ended_runs ADD COLUMN machine text NOT NULL DEFAULT '';
