"""Coding agents, one file each: what their hooks say is read, what they are told is shaped, where their settings stand."""
