-- Who had a run made, and on which machine; '' where that was not recorded.
ALTER TABLE ended_runs ADD COLUMN person TEXT NOT NULL DEFAULT '';
ALTER TABLE ended_runs ADD COLUMN machine TEXT NOT NULL DEFAULT '';
