"""The evidence for a choice: the leaderboard, as it is shown and stored."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from sys import float_info
from typing import Any, NamedTuple

from askew.data.table import Table
from askew.model.smoothing import SMOOTHINGS
from askew.parameters import brief
from askew.selection.one_se_rule import Entry, Judge, Standings


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


_KINDS = (str, float, float, float, float, float, bool, bool)


def _is_plain(value: Any, kind: type) -> bool:
    """Whether a value has this type; a number must be finite."""
    if kind is float:
        return type(value) in (int, float) and abs(value) <= float_info.max  # no float holds a larger whole number
    return type(value) is kind


@dataclass(frozen=True)
class Choice:
    """The evidence for a choice: what was tried, how it did, and what was taken.

    Attributes
    ----------
    records : best first
    finished : whether all was tried; False if the time was up before
    smoothing : name of the smoothing whose probabilities were best; None for plain frequencies
    scored : whether the scores are those of a scorer that was given; else accuracy, or R squared
    """

    records: tuple[Record, ...]
    finished: bool = True
    smoothing: str | None = None
    scored: bool = False

    @property
    def chosen(self) -> Record | None:
        """The line that was chosen; None if there was nothing to choose by."""
        return next((record for record in self.records if record.chosen), None)

    def packed(self, scored: bool = False) -> dict[str, Any]:
        """Return it as JSON can hold it; `scored` is what the parameters say, which is not repeated."""
        records = [list(record) for record in self.records]
        told = {"records": records, "finished": self.finished, "smoothing": self.smoothing}
        return told if self.scored == scored else {**told, "scored": self.scored}

    @classmethod
    def unpacked(cls, packed: Any, scored: bool = False) -> Choice:
        """Read what `packed` returned; raise ValueError (place, expected, found) for whatever is wrong."""
        if not isinstance(packed, dict) or set(packed) - {"scored"} != {"records", "finished", "smoothing"}:
            raise ValueError(f"choice: expected 'records', 'finished' and 'smoothing', found {brief(packed)}")
        if packed["smoothing"] is not None and packed["smoothing"] not in list(SMOOTHINGS):
            raise ValueError(f"choice: expected None or a smoothing among {list(SMOOTHINGS)}, found {brief(packed)}")
        flags = packed["finished"], packed.get("scored", scored)
        if not all(type(flag) is bool for flag in flags) or not isinstance(packed["records"], list):
            raise ValueError(f"choice: expected a list of records and a bool, found {brief(packed)}")
        for record in packed["records"]:
            fits = isinstance(record, list) and len(record) == len(_KINDS)
            if not fits or not all(map(_is_plain, record, _KINDS)):
                raise ValueError(f"choice: expected {', '.join(Record._fields)}, found {brief(record)}")
        records = tuple(Record(*record) for record in packed["records"])
        return cls(records, flags[0], packed["smoothing"], flags[1])


def evidence(standings: Standings, chosen: Entry, table: Table, judge: Judge, finished: bool) -> Choice:
    """Return the leaderboard: scores, which are high where losses are low. Equal trees are shown once."""
    front = {entry.result for entry in standings.front()}
    unit, best = 1.0, 1.0
    if not judge.by_row:
        best = 0.0
    elif not table.classification:
        away = table.y - table.weight @ table.y / table.weight.sum()
        unit = float(table.weight @ away**2 / table.weight.sum()) or 1.0  # the score is then R^2

    def record(entry: Entry) -> Record:
        return Record(
            entry.setting.name,
            entry.leaves,
            entry.terms,
            best - standings.mean(entry.loss) / unit,
            standings.standard_error(entry.loss) / unit,
            entry.seconds,
            entry.result in front,
            entry is chosen,
        )

    ranked: Sequence[Entry] = sorted(standings.entries, key=lambda e: (round(standings.mean(e.loss), 12), e.size))
    return Choice(tuple(record(entry) for entry in _different(ranked, chosen)), finished, scored=not judge.by_row)


def _different(ranked: Sequence[Entry], chosen: Entry) -> list[Entry]:
    """Return the entries without those that have the size and the losses of one before; the chosen one stays."""
    first: dict[Hashable, Entry] = {}
    for entry in (chosen, *ranked):
        first.setdefault(entry.result, entry)
    return [entry for entry in ranked if first[entry.result] is entry]
