-- Keys, logins and stored answers of the servers that share this database.
CREATE TABLE hardwon.service_keys (
    id text COLLATE "C" PRIMARY KEY,
    digest bytea NOT NULL, -- of the secret
    tenant text COLLATE "C" NOT NULL,
    role text COLLATE "C" NOT NULL,
    agent text COLLATE "C",
    project text COLLATE "C",
    note text NOT NULL,
    created_at double precision NOT NULL,
    expires_at double precision,
    used_at double precision,
    revoked_at double precision
);

CREATE TABLE hardwon.service_logins (
    digest bytea PRIMARY KEY, -- of the cookie, or of the code of a link
    tenant text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL, -- empty for the owner of a home
    is_link smallint NOT NULL,
    begun_at double precision NOT NULL,
    until double precision NOT NULL
);

CREATE TABLE hardwon.service_replies (
    tenant text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL, -- a digest
    request bytea NOT NULL, -- a digest
    status smallint NOT NULL,
    body bytea NOT NULL,
    at double precision NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- A key is looked up before its tenant is known: like a queue, a server names itself by a blank.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['service_keys', 'service_logins', 'service_replies'] LOOP
        EXECUTE format('ALTER TABLE hardwon.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE hardwon.%I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY own_tenant ON hardwon.%I'
            ' USING (current_setting(''hardwon.tenant'') IN (tenant, '' ''))'
            ' WITH CHECK (current_setting(''hardwon.tenant'') IN (tenant, '' ''))',
            name
        );
    END LOOP;
END
$$;
