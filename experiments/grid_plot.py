"""`plot_grid`: accuracy and leaves by depth and r, a panel for each data set (ELC, Figures 2 to 4)."""

from __future__ import annotations

from collections.abc import Mapping
from re import fullmatch
from typing import Any

from askew.plot.palette import colours, pyplot
from experiments.experiment import Figure

_ROWS = {"accuracy": "accuracy, %", "leaves": "leaves"}
_MARKERS = "os^D"
_TALLEST = 15.0  # per cent: stumps on three classes are far below the rest, and would press it into a line


def plot_grid(
    title: str, found: Mapping[str, Mapping[str, Figure]], printed: Mapping[str, Mapping[str, Figure]]
) -> Any:
    """Draw the figures of `GridCV` by data set: accuracies above, leaves below; a line for each r.

    The band is what the paper prints of the setting it chose, with its standard deviation. Lines may leave a panel
    below, where depth 1 cannot part the classes.

    Parameters
    ----------
    title : str
        Title of the figure.
    found : mapping of str to mapping of str to Figure
        By data set, figures with names such as "r=2, depth 3, accuracy".
    printed : mapping of str to mapping of str to Figure
        By data set, the printed accuracy and leaves.
    """
    figure, axes = pyplot().subplots(
        2, len(found), figsize=(2.9 * len(found) + 0.6, 5.2), sharex=True, squeeze=False, layout="constrained"
    )
    for column, (data, figures) in enumerate(found.items()):
        for row, measure in enumerate(_ROWS):
            ax = axes[row, column]
            _panel(ax, measure, figures, printed[data][measure])
            if row == 0:
                ax.set_title(data, fontsize="medium")
            else:
                ax.set_xlabel("depth")
            if column == 0:
                ax.set_ylabel(_ROWS[measure])
    handles, labels = _legend(axes)
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    figure.suptitle(title)
    return figure


def _panel(ax: Any, measure: str, figures: Mapping[str, Figure], paper: Figure) -> None:
    lines = _lines(measure, figures)
    spread = paper.sd or 0.0
    ax.axhspan(paper.mean - spread, paper.mean + spread, color="0.88", linewidth=0, zorder=0)
    ax.axhline(paper.mean, color="0.45", linewidth=1, linestyle="--", zorder=1, label="paper's choice")
    for i, (r, line) in enumerate(lines.items()):
        # A little apart, so that bars do not hide each other.
        x = [depth + 0.08 * (i - (len(lines) - 1) / 2) for depth in line]
        ax.errorbar(
            x,
            [value.mean for value in line.values()],
            [value.sd or 0.0 for value in line.values()],
            color=colours(4)[r - 1],
            marker=_MARKERS[r - 1],
            markersize=4,
            linewidth=1.4,
            elinewidth=0.8,
            capsize=2,
            label=f"r = {r}",
        )
    low, high = ax.get_ylim()
    if measure == "accuracy" and high - low > _TALLEST:
        ax.set_ylim(high - _TALLEST, high)
    ax.set_xticks(sorted({depth for line in lines.values() for depth in line}))
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="0.92", linewidth=0.7)
    ax.set_axisbelow(True)


def _lines(measure: str, figures: Mapping[str, Figure]) -> dict[int, dict[int, Figure]]:
    """Return the figures of a measure by r and depth."""
    lines: dict[int, dict[int, Figure]] = {}
    for name, figure in figures.items():
        if parts := fullmatch(rf"r=(\d+), depth (\d+), {measure}", name):
            lines.setdefault(int(parts[1]), {})[int(parts[2])] = figure
    return lines


def _legend(axes: Any) -> tuple[list[Any], list[str]]:
    """Return each entry once, the lines first."""
    known: dict[str, Any] = {}
    for ax in axes.flat:
        known |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    labels = sorted(known, key=lambda label: (not label.startswith("r ="), label))
    return [known[label] for label in labels], labels
