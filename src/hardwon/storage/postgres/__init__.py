"""PostgreSQL for stores and queues: connections, deadlines, tenants and schema."""
