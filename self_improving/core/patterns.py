"""Patterns that are compiled when they are first used: most of them no single command needs, and each costs its start-up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
        """What `re.compile` gives, as far as its methods go."""

else:

    class pattern:
        """What `re.compile` gives, as far as its methods go."""

        def __init__(self, text: str, flags: int = 0) -> None:
            self._said = text, flags

        def __getattr__(self, name: str) -> Any:
            found = getattr(re.compile(*self._said), name)
            setattr(self, name, found)  # from now on without a detour
            return found
