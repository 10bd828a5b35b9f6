"""The MCP server: lessons for any MCP host, for both generations of the protocol."""
