"""`Leaderboard`: the evaluated candidates of a selection, their scores and the chosen one, as shown and stored."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from sys import float_info
from typing import NamedTuple

from askew.data.table import Table
from askew.model.smoothing import SMOOTHINGS
from askew.parameters import brief
from askew.selection.one_se_rule import Entry, LossFunction, Results


class Record(NamedTuple):
    """A line of the leaderboard."""

    recipe: str
    leaves: float
    terms: float
    mean: float
    standard_error: float
    seconds: float
    on_front: bool
    chosen: bool


_TYPES = (str, float, float, float, float, float, bool, bool)


def _has_type(value: object, kind: type) -> bool:
    """Whether a value has this type; a number must be finite."""
    if kind is not float:
        return type(value) is kind
    return isinstance(value, int | float) and type(value) in (int, float) and abs(value) <= float_info.max


@dataclass(frozen=True)
class Leaderboard:
    """The evaluated candidates of a selection, their scores, and the chosen one.

    Attributes
    ----------
    records : tuple of Record
        The lines, best first.
    finished : bool
        Whether all candidates were evaluated; False if the time limit came first.
    smoothing : str or None
        Name of the smoothing that had the least log loss; None for plain frequencies.
    scored : bool
        Whether the scores are those of a scorer (`scoring`); otherwise they are accuracy or R squared.
    """

    records: tuple[Record, ...]
    finished: bool = True
    smoothing: str | None = None
    scored: bool = False

    @property
    def chosen(self) -> Record | None:
        """The line that was chosen; None if nothing was evaluated."""
        return next((record for record in self.records if record.chosen), None)

    def packed(self, scored: bool = False) -> dict[str, object]:
        """Return the leaderboard as JSON; `scored` is stored only if it differs from what the parameters imply."""
        records = [list(record) for record in self.records]
        packed = {"records": records, "finished": self.finished, "smoothing": self.smoothing}
        return packed if self.scored == scored else {**packed, "scored": self.scored}

    @classmethod
    def unpacked(cls, packed: object, scored: bool = False) -> Leaderboard:
        """Read the result of `packed`; raise ValueError (position, expected, found) if anything is wrong."""
        if not isinstance(packed, dict) or set(packed) - {"scored"} != {"records", "finished", "smoothing"}:
            raise ValueError(f"choice: expected 'records', 'finished' and 'smoothing', found {brief(packed)}")
        smoothing, finished, scored = packed["smoothing"], packed["finished"], packed.get("scored", scored)
        if smoothing is not None and smoothing not in list(SMOOTHINGS):
            raise ValueError(f"choice: expected None or a smoothing among {list(SMOOTHINGS)}, found {brief(packed)}")
        if type(finished) is not bool or type(scored) is not bool or not isinstance(packed["records"], list):
            raise ValueError(f"choice: expected a list of records and a bool, found {brief(packed)}")
        return cls(tuple(_unpacked_record(record) for record in packed["records"]), finished, smoothing, scored)


def _unpacked_record(packed: object) -> Record:
    if not isinstance(packed, list) or len(packed) != len(_TYPES) or not all(map(_has_type, packed, _TYPES)):
        raise ValueError(f"choice: expected {', '.join(Record._fields)}, found {brief(packed)}")
    return Record(*packed)


def make_leaderboard(
    results: Results, chosen: Entry, table: Table, loss: LossFunction, *, finished: bool, smoothing: str | None
) -> Leaderboard:
    """Return the leaderboard: scores, which are high where losses are low. Equal trees are shown once."""
    front = {entry.outcome for entry in results.front()}
    unit, perfect = 1.0, 1.0
    if not loss.by_row:
        perfect = 0.0
    elif not table.classification:
        deviation = table.y - table.weight @ table.y / table.weight.sum()
        unit = float(table.weight @ deviation**2 / table.weight.sum()) or 1.0  # the score is then R squared

    def record(entry: Entry) -> Record:
        return Record(
            entry.setting.name,
            entry.leaves,
            entry.terms,
            perfect - results.mean(entry.loss) / unit,
            results.standard_error(entry.loss) / unit,
            entry.seconds,
            entry.outcome in front,
            entry is chosen,
        )

    records = tuple(record(entry) for entry in _distinct(results.ranked(), chosen))
    return Leaderboard(records, finished, smoothing, scored=not loss.by_row)


def _distinct(ranked: Sequence[Entry], chosen: Entry) -> list[Entry]:
    """Return the entries whose outcome no earlier entry has; of those with the outcome of the chosen one, that one."""
    first: dict[Hashable, Entry] = {}
    for entry in (chosen, *ranked):
        first.setdefault(entry.outcome, entry)
    return [entry for entry in ranked if first[entry.outcome] is entry]
