"""midos-self-improver's `assess_pattern_value`, answered by evo."""

try:
    from self_improving import assess_pattern_value
except ImportError as missing:
    raise ImportError(
        "hooks.pattern_harvester needs evo, which this Python does not have: pip install self-improving"
    ) from missing

__all__ = ["assess_pattern_value"]
