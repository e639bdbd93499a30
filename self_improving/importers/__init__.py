"""Notes of other tools, one file a tool: text in, learnings out, and back again; nothing here touches a disk."""
