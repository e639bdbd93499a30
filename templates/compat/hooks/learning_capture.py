"""midos-self-improver's `capture_correction` and `capture_error`, answered by evo."""

try:
    from self_improving import capture_correction, capture_error
except ImportError as missing:
    raise ImportError(
        "hooks.learning_capture needs evo, which this Python does not have: pip install self-improving"
    ) from missing

__all__ = ["capture_correction", "capture_error"]
