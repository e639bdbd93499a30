"""What is done with what a coding agent reports: a session started, a prompt, a tool's result, a turn's end."""
