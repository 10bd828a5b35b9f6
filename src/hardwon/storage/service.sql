-- name: create_keys
CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, digest BLOB NOT NULL, tenant TEXT NOT NULL, role TEXT NOT NULL,
    agent TEXT, project TEXT, note TEXT NOT NULL,
    created_at REAL NOT NULL, expires_at REAL, used_at REAL, revoked_at REAL
) STRICT

-- name: create_logins
CREATE TABLE IF NOT EXISTS logins (
    digest BLOB PRIMARY KEY, tenant TEXT NOT NULL, key TEXT NOT NULL,
    is_link INTEGER NOT NULL, begun_at REAL NOT NULL, until REAL NOT NULL
) STRICT

-- name: create_replies
CREATE TABLE IF NOT EXISTS replies (
    tenant TEXT NOT NULL, name TEXT NOT NULL, request BLOB NOT NULL,
    status INTEGER NOT NULL, body BLOB NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (tenant, name)
) STRICT

-- name: insert
INSERT INTO service.keys ({STORED})
VALUES ({STORED_VALUES}) ON CONFLICT (id) DO NOTHING

-- name: add_login
INSERT INTO service.logins (digest, tenant, key, is_link, begun_at, until)
VALUES (:digest, :tenant, :key, :is_link, :now, :until)

-- name: excess
DELETE FROM service.logins WHERE key = :key AND is_link = 0 AND digest NOT IN (
    SELECT digest FROM service.logins WHERE key = :key AND is_link = 0
    ORDER BY begun_at DESC, digest LIMIT :most
)

-- name: find
SELECT login.tenant, login.key, login.begun_at, login.until,
    {KEY_COLUMNS}
FROM service.logins AS login LEFT JOIN service.keys AS keys ON keys.id = login.key
WHERE login.digest = :digest AND login.is_link = 0 AND login.until > :now

-- name: follow
DELETE FROM service.logins WHERE digest = :digest AND is_link = 1 AND until > :now
RETURNING tenant

-- name: keep
INSERT INTO service.replies (tenant, name, request, status, body, at)
VALUES (:tenant, :name, :request, :status, :body, :at)
ON CONFLICT (tenant, name) DO UPDATE SET request = excluded.request, status = excluded.status,
    body = excluded.body, at = excluded.at

-- name: within
-- Which keys the holder of a limit may see and revoke.
(CAST(:tenant AS TEXT) IS NULL OR tenant = :tenant)
AND (CAST(:agent AS TEXT) IS NULL OR agent = :agent)
AND (CAST(:project AS TEXT) IS NULL OR project = :project)

-- name: list_keys
SELECT {COLUMNS} FROM service.keys WHERE {within} ORDER BY created_at DESC, id

-- name: find_key
SELECT digest, {COLUMNS} FROM service.keys WHERE id = :id

-- name: use_key
UPDATE service.keys SET used_at = :now WHERE id = :id

-- name: revoke_key
UPDATE service.keys SET revoked_at = coalesce(revoked_at, :now)
WHERE id = :id AND {within} RETURNING {COLUMNS}

-- name: all_keys
SELECT {STORED} FROM service.keys

-- name: drop_keys
DELETE FROM service.keys

-- name: prolong
UPDATE service.logins SET until = :until WHERE digest = :digest

-- name: choose_tenant
UPDATE service.logins SET tenant = :tenant WHERE digest = :digest AND key = ''

-- name: end_login
DELETE FROM service.logins WHERE digest = :digest

-- name: forget_logins
DELETE FROM service.logins WHERE until <= :now

-- name: find_reply
SELECT request, status, body FROM service.replies
WHERE tenant = :tenant AND name = :name AND at > :after

-- name: forget_replies
DELETE FROM service.replies WHERE at <= :until

-- name: forget_tenant
DELETE FROM service.{0} WHERE tenant = :tenant
