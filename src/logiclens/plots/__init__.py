"""Pictures of networks, tables and rules, drawn with matplotlib."""
