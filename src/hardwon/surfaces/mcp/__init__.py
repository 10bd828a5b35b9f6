"""The MCP server: lessons for any host that speaks the protocol, in both of its eras."""
