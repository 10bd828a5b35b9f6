-- name: own
SELECT shelves.id FROM hardwon.shelves WHERE shelves.tenant = :tenant

-- name: of_shelf
-- The condition that a row is the tenant's, for tables with a shelf; for others by their name.
tenant = :tenant AND shelf IN ({own})

-- name: of_shelves
shelves.tenant = :tenant

-- name: of_dream_changes
tenant = :tenant AND dream IN (
    SELECT id FROM hardwon.dream_log WHERE tenant = :tenant AND shelf IN ({own})
)

-- name: add_shelf
INSERT INTO hardwon.shelves (id, agent_id, project, tenant) OVERRIDING SYSTEM VALUE
SELECT :id, :agent_id, :project, tenants.key FROM hardwon.tenants WHERE name = :tenant
ON CONFLICT DO NOTHING

-- name: indexed
SELECT lesson FROM hardwon.indexed WHERE tenant = :tenant AND lesson IN (:lessons)
UNION ALL
SELECT lesson FROM hardwon.fresh WHERE tenant = :tenant AND lesson IN (:lessons)

-- name: set_salt
UPDATE hardwon.proof_salt SET salt = :salt
