"""The Python calls of midos-self-improver, answered by evo. Laid down by `evo init --compat`; delete it if you need it no more."""
