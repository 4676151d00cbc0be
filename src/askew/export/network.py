"""A rule network as text: the regions of each class, with their conditions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from askew.export.writer import Writer
from askew.split import HYPERPLANE


class NetworkWriter(Writer):
    """Writes a network: for every class its regions, for every region its conditions."""

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(self.tree.mass.sum())

    def title(self) -> str:
        """Return what the network is, in a line."""
        size = f"{_many(self.tree.n_leaves, 'region')} of {_many(self.tree.n_splits, 'split')}"
        return f"{size}; a row is in the first region that holds it{self.legend()}"

    def walk(self) -> Iterator[tuple[int, list[str], int | None]]:
        """Give depth and text of each line, in pieces, and the region that it tells of."""
        predicted = [self.prediction(region) for region in range(self.tree.n_leaves)]
        for name in dict.fromkeys(predicted):
            yield 0, [name], None
            for region in (r for r, other in enumerate(predicted) if other == name):
                conditions = self.tree.conditions(region)
                shown = conditions if self.max_depth is None else conditions[: self.max_depth]
                yield 1, [f"region {region + 1}" + ("" if conditions else ": otherwise")], region
                for split, side in shown:
                    yield 2, self.condition(split, side), None
                if len(shown) < len(conditions):
                    yield 2, [f"and {len(conditions) - len(shown)} more"], None

    def condition(self, split: int, side: int) -> list[str]:
        """Return what the rows on a side of a split fulfil, in pieces."""
        if self.tree.kind[split] == HYPERPLANE:
            return self.wording.inequality(split, side)
        if split not in self._sides:
            self._sides[split] = [[line[0].removeprefix("where "), *line[1:]] for line in self.test(split)[1]]
        return self._sides[split][side]

    @cached_property
    def _sides(self) -> dict[int, list[list[str]]]:
        """What holds on each side of the splits that were written before: regions share splits."""
        return {}


def _many(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"
