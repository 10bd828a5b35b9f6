-- Everybody may read the names. A transaction adds and removes only the tenant that it has named:
-- with a name goes all that the tenant has, past every other wall.
ALTER TABLE hardwon.tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY every_name ON hardwon.tenants FOR SELECT USING (true);
CREATE POLICY own_new ON hardwon.tenants FOR INSERT
WITH CHECK (name = current_setting('hardwon.tenant'));
CREATE POLICY own_gone ON hardwon.tenants FOR DELETE
USING (name = current_setting('hardwon.tenant'));
