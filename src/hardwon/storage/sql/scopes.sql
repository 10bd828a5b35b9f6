-- name: seen
-- The shelves visible from a scope, for a statement with the values of `visible_query`.
(
    SELECT id FROM hardwon.shelves
    WHERE shelves.tenant = :tenant AND agent_id = :agent AND project IN (:projects)
)

-- name: here
-- The rows of some shelves.
tenant = :tenant AND shelf IN (:shelves)

-- name: visible
SELECT id, project, active, {0} FROM hardwon.shelves
WHERE shelves.tenant = :tenant AND agent_id = :agent AND project IN (:projects) ORDER BY id

-- name: own
SELECT id FROM hardwon.shelves
WHERE shelves.tenant = :tenant AND agent_id = :agent AND project = :project

-- name: add_tenant
INSERT INTO hardwon.tenants (name) VALUES (:tenant) ON CONFLICT DO NOTHING

-- name: add
INSERT INTO hardwon.shelves (agent_id, project, tenant)
SELECT :agent, :project, tenants.key FROM hardwon.tenants WHERE name = :tenant
ON CONFLICT DO NOTHING

-- name: of_tenant
SELECT id, agent_id, project FROM hardwon.shelves WHERE shelves.tenant = :tenant ORDER BY id
