"""Builder of ONNX graphs, for `askew.export_onnx`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

if TYPE_CHECKING:
    from onnx import NodeProto, TensorProto

OPSET, IR = 18, 8  # onnxruntime 1.14 and newer


class Graph:
    """Operators and constants; calls return the name of their result and take names of inputs."""

    def __init__(self, outer: Graph | None = None) -> None:
        try:
            import onnx
        except ImportError:
            raise ImportError("export_onnx needs the package onnx: pip install 'askew[onnx]'") from None
        self.onnx = onnx
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = outer.constants if outer else []
        self.numbers: list[int] = outer.numbers if outer else [0]  # shared, so that names are unique
        self.known: dict[tuple[object, ...], str] = outer.known if outer else {}

    def name(self) -> str:
        """Return a new name."""
        self.numbers[0] += 1
        return f"v{self.numbers[0]}"

    def constant(self, value: object, dtype: DTypeLike | None = None) -> str:
        """Return the name of a constant; equal constants share one."""
        array = np.array(value, dtype=dtype, order="C")  # a number stays one, without axes
        key = (array.dtype.str, array.shape, array.tobytes() if array.dtype != object else tuple(array.ravel()))
        if key not in self.known:
            self.known[key] = self.name()
            self.constants.append(self.onnx.numpy_helper.from_array(array, self.known[key]))
        return self.known[key]

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator with one result, and return its name."""
        name = self.name()
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    # --- shorthands

    def integers(self, value: object) -> str:
        """Return integers as a constant."""
        return self.constant(value, np.int64)

    def reals(self, value: object) -> str:
        """Return doubles as a constant."""
        return self.constant(value, np.float64)

    def look_up(self, table: str, index: str, axis: int = 0) -> str:
        """Return the entries of a table at some indices."""
        return self.add("Gather", table, index, axis=axis)

    def cast(self, what: str, dtype: DTypeLike) -> str:
        """Return a tensor cast to another type."""
        return self.add("Cast", what, to=self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def shaped(self, what: str, *shape: int) -> str:
        """Return a reshaped tensor: 0 keeps an axis, -1 is inferred."""
        return self.add("Reshape", what, self.integers(shape))

    def widened(self, what: str, axis: int) -> str:
        """Return a tensor with one more axis."""
        return self.add("Unsqueeze", what, self.integers([axis]))

    def last_sum(self, what: str, axis: int) -> str:
        """Return a sum over an axis that is added in order, one after the other, as the compiled core does."""
        running = self.add("CumSum", what, self.integers(axis))
        return self.add("Gather", running, self.integers(-1), axis=axis)

    def scaled(self, what: str) -> str:
        """Return the shares of the last axis of [rows, classes] in its sum."""
        return self.add("Div", what, self.widened(self.last_sum(what, 1), 1))

    def repeated(self, loops: int, start: str, body: Callable[[Graph, str], str], dtype: DTypeLike) -> str:
        """Return `start`, a matrix of this type, after `body(graph, name)` was applied this many times."""
        if loops == 0:
            return start
        inner = Graph(self)
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        names = [self.name() for _ in range(3)]
        result = body(inner, names[2])
        inner.nodes.append(helper.make_node("Identity", [names[1]], [going := self.name()]))
        elem = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        graph = helper.make_graph(
            inner.nodes,
            "steps",
            [
                helper.make_tensor_value_info(names[0], kinds.INT64, []),
                helper.make_tensor_value_info(names[1], kinds.BOOL, []),
                helper.make_tensor_value_info(names[2], elem, [None, None]),
            ],
            [
                helper.make_tensor_value_info(going, kinds.BOOL, []),
                helper.make_tensor_value_info(result, elem, [None, None]),
            ],
        )
        return self.add("Loop", self.integers(loops), "", start, body=graph)
