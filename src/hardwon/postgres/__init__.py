"""How PostgreSQL is reached: connections, deadlines, tenants and schema; for stores and queues."""
