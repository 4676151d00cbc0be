"""Pictures of trees, drawn with Matplotlib (extra ``plot``)."""

from __future__ import annotations

from askew.export.plot_front import plot_front
from askew.export.plot_learning import plot_learning
from askew.export.plot_node import plot_node
from askew.export.plot_partition import plot_partition
from askew.export.plot_path import plot_path
from askew.export.plot_trace import plot_trace
from askew.export.plot_tree import plot_tree

__all__ = ["plot_front", "plot_learning", "plot_node", "plot_partition", "plot_path", "plot_trace", "plot_tree"]
