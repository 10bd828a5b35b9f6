#!/bin/sh
# The role of services: it logs in, owns nothing, and may see how old the snapshots of others are.
set -e
psql --set=ON_ERROR_STOP=1 --set=password="$SERVICE_PASSWORD" \
    --username="$POSTGRES_USER" --dbname="$POSTGRES_DB" <<'SQL'
CREATE ROLE hardwon_service LOGIN PASSWORD :'password';
GRANT pg_read_all_stats TO hardwon_service;
SQL
