-- Counts of calls: what is told before a call no longer depends on them.
DROP TABLE IF EXISTS odds;
