"""The episodes of a run by id, in order. In memory are those in motion alone: one that is over is read from the
journal by whoever looks at it, one that has not begun is made when its turn comes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from tasks.episode.driver import Driver

UNFINISHED = "unfinished"
"""What lists say of an episode that has not ended."""

Maker = Callable[[str], Driver]
"""Makes an episode by its id."""


class Episodes(Mapping[str, Driver]):
    """Id -> episode. `begin` makes one that has not begun, `read` one that is over, as its record has it."""

    def __init__(self, read: Maker) -> None:
        self.read = read
        self.begin: Maker = read
        self.moving: dict[str, Driver] = {}
        self.errors: Counter[str] = Counter()
        """Reason -> episodes that ended in an error for it."""
        self.unscored: list[str] = []
        """Those that are over and that nobody has taken from here to score them."""
        self._outcomes: dict[str, str] = {}

    def expect(self, ids: Iterable[str]) -> None:
        """Episodes that will be made when their turn comes."""
        for name in ids:
            self._outcomes[name] = ""

    def over(self, name: str, outcome: str, reason: str) -> None:
        """An episode has ended, and all of it is on disk."""
        self.moving.pop(name, None)
        self._outcomes[name] = outcome
        self.unscored.append(name)
        if outcome == "error":
            self.errors[reason] += 1

    def __setitem__(self, name: str, driver: Driver) -> None:
        """An episode is in motion."""
        self._outcomes.setdefault(name, "")
        self.moving[name] = driver

    def __getitem__(self, name: str) -> Driver:
        """The episode itself while it is in motion; one that is over anew at each look."""
        driver = self.moving.get(name)
        if driver is None:
            if self._outcomes[name]:
                return self.read(name)
            driver = self.moving[name] = self.begin(name)
        return driver

    def __iter__(self) -> Iterator[str]:
        return iter(self._outcomes)

    def __len__(self) -> int:
        return len(self._outcomes)

    def __contains__(self, name: object) -> bool:
        return name in self._outcomes

    def outcome(self, name: str) -> str:
        """How an episode ended, '' while it has not; no episode is made or read for it."""
        return self._outcomes[name]

    @property
    def outcomes(self) -> Counter[str]:
        """How many ended how; those that have not are `unfinished`."""
        return Counter(outcome or UNFINISHED for outcome in self._outcomes.values())

    @property
    def open(self) -> int:
        """How many are not over."""
        return sum(not outcome for outcome in self._outcomes.values())

    def to_play(self) -> Iterator[Driver]:
        """Those that are not over, in order, each made when it is asked for."""
        open_now = [name for name, outcome in self._outcomes.items() if not outcome]
        return (self[name] for name in open_now if not self._outcomes[name])
