-- name: version
SELECT coalesce(max(version), 0) FROM hardwon.migrations

-- name: is_there
SELECT to_regclass('hardwon.migrations') IS NOT NULL

-- name: role
SELECT rolname, rolsuper, rolbypassrls, EXISTS (
    SELECT 1 FROM pg_class WHERE relnamespace = to_regnamespace('hardwon') AND relkind = 'r'
    AND pg_has_role(relowner, 'USAGE')
) FROM pg_roles WHERE rolname = current_user

-- name: open
SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('hardwon') AND relkind = 'r'
AND NOT (relrowsecurity AND relforcerowsecurity) AND relname <> ALL(:shared::text[])
ORDER BY relname

-- name: horizon
SELECT coalesce(max(extract(epoch FROM now() - xact_start)), 0)::int FROM pg_stat_activity
WHERE backend_xmin IS NOT NULL AND datname = current_database()

-- name: sees_all
SELECT pg_has_role('pg_read_all_stats', 'USAGE')

-- name: slots
SELECT count(*) FROM pg_replication_slots WHERE NOT active AND xmin IS NOT NULL

-- name: dead
SELECT relname, n_dead_tup FROM pg_stat_user_tables WHERE schemaname = 'hardwon'
AND n_dead_tup > :many AND n_dead_tup > :times * n_live_tup ORDER BY n_dead_tup DESC

-- name: lock
SELECT pg_advisory_xact_lock(:key::bigint)

-- name: note
INSERT INTO hardwon.migrations (version, name) VALUES (:version, :name)

-- name: server
SELECT current_setting('server_version_num')::int, current_setting('server_version')

-- name: clock
SELECT clock_timestamp()

-- name: grant
GRANT USAGE ON SCHEMA hardwon TO {0};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hardwon TO {0};
REVOKE INSERT, UPDATE, DELETE ON hardwon.migrations FROM {0};
GRANT USAGE ON ALL SEQUENCES IN SCHEMA hardwon TO {0};
ALTER DEFAULT PRIVILEGES IN SCHEMA hardwon
    GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {0};
ALTER DEFAULT PRIVILEGES IN SCHEMA hardwon GRANT USAGE ON SEQUENCES TO {0};
