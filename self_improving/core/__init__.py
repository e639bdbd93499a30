"""The rules of the notebook: values in, values out; no disk, no clock, no printing."""
