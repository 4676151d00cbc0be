"""Pictures of trees, drawn with Matplotlib (extra ``plot``)."""

from __future__ import annotations

from askew.export.pictures.plot_front import plot_front
from askew.export.pictures.plot_learning import plot_learning
from askew.export.pictures.plot_node import plot_node
from askew.export.pictures.plot_partition import plot_partition
from askew.export.pictures.plot_path import plot_path
from askew.export.pictures.plot_trace import plot_trace
from askew.export.pictures.plot_tree import plot_tree

__all__ = ["plot_front", "plot_learning", "plot_node", "plot_partition", "plot_path", "plot_trace", "plot_tree"]
