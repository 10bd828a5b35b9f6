-- What models have cost: the limits of a day hold for all machines together.
CREATE TABLE hardwon.spending (
    day text COLLATE "C" NOT NULL,
    tenant text COLLATE "C" NOT NULL, -- empty for one that was forgotten
    model text COLLATE "C" NOT NULL,
    calls bigint NOT NULL,
    tokens bigint NOT NULL,
    money double precision NOT NULL,
    PRIMARY KEY (day, tenant, model)
) WITH (fillfactor = 50);

-- A limit in all is one for all tenants: who keeps the book names itself by a blank, as a queue does.
ALTER TABLE hardwon.spending ENABLE ROW LEVEL SECURITY;
ALTER TABLE hardwon.spending FORCE ROW LEVEL SECURITY;
CREATE POLICY own_tenant ON hardwon.spending
USING (current_setting('hardwon.tenant') IN (tenant, ' '))
WITH CHECK (current_setting('hardwon.tenant') IN (tenant, ' '));
