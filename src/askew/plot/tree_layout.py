"""Where the nodes of a tree stand in a picture: children below their parent, subtrees as close as they can be.

Each level has a line of its own, on which the upper edges of its boxes stand. A subtree is known by its outline, left
and right on every level; subtrees side by side are moved together until their outlines are a gap apart (as in
Reingold & Tilford 1981, for boxes of any width). No two boxes overlap then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_Outline = tuple[list[float], list[float]]  # the left and the right edge of each level, from the subtree's root on


def lay_out(
    width: Mapping[int, float], children: Mapping[int, Sequence[int]], gap: float
) -> tuple[dict[int, float], float]:
    """Return the middle of each box, and the width of all; nodes are numbered so that children come after parents."""
    offset: dict[int, float] = {}  # of each child from its parent's middle
    outlines: dict[int, _Outline] = {}
    for node in sorted(width, reverse=True):
        below = [outlines.pop(child) for child in children.get(node, ())]
        outlines[node] = _joined(width[node], below, children.get(node, ()), offset, gap)
    left, right = outlines[0]
    x = {0: -min(left)}
    for node in sorted(width):
        for child in children.get(node, ()):
            x[child] = x[node] + offset[child]
    return x, max(right) - min(left)


def _joined(
    width: float, below: list[_Outline], children: Sequence[int], offset: dict[int, float], gap: float
) -> _Outline:
    """Return the outline of a node above the outlines of its children, and note where these stand."""
    if not below:
        return [-width / 2], [width / 2]
    places, (left, right) = [0.0], below[0]
    left, right = list(left), list(right)
    for one_left, one_right in below[1:]:
        apart = max(end - start for end, start in zip(right, one_left, strict=False)) + gap
        places.append(apart)
        left += [start + apart for start in one_left[len(left) :]]
        right[: len(one_right)] = [end + apart for end in one_right]
    middle = (places[0] + places[-1]) / 2
    for child, place in zip(children, places, strict=True):
        offset[child] = place - middle
    return [-width / 2, *(start - middle for start in left)], [width / 2, *(end - middle for end in right)]
