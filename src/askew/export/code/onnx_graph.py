"""A graph of ONNX operators that is put together one call at a time. For `askew.export_onnx`."""

from __future__ import annotations

from typing import Any

import numpy as np

OPSET, IR = 18, 8  # onnxruntime 1.14 and newer


class Graph:
    """Operators and constants; the name of a result is what the next call takes."""

    def __init__(self, outer: Graph | None = None) -> None:
        try:
            import onnx
        except ImportError:
            raise ImportError("export_onnx needs the package onnx: pip install 'askew[onnx]'") from None
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = outer.constants if outer else []
        self.numbers: list[int] = outer.numbers if outer else [0]  # shared: no name stands for two things
        self.known: dict[Any, str] = outer.known if outer else {}

    def name(self) -> str:
        """Return a new name."""
        self.numbers[0] += 1
        return f"v{self.numbers[0]}"

    def constant(self, value: Any, dtype: Any = None) -> str:
        """Return the name of a constant; equal ones are one."""
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

    # --- what is said often

    def whole(self, value: Any) -> str:
        """Return whole numbers as a constant."""
        return self.constant(value, np.int64)

    def reals(self, value: Any) -> str:
        """Return doubles as a constant."""
        return self.constant(value, np.float64)

    def look_up(self, table: str, place: str, axis: int = 0) -> str:
        """Return the entries of a table at some places."""
        return self.add("Gather", table, place, axis=axis)

    def cast(self, what: str, dtype: Any) -> str:
        """Return something as another type."""
        return self.add("Cast", what, to=self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def shaped(self, what: str, *shape: int) -> str:
        """Return something in another shape: 0 keeps an axis, -1 takes the rest."""
        return self.add("Reshape", what, self.whole(shape))

    def widened(self, what: str, axis: int) -> str:
        """Return something with one more axis."""
        return self.add("Unsqueeze", what, self.whole([axis]))

    def last_sum(self, what: str, axis: int) -> str:
        """Return a sum over an axis that is added in order, one after the other, as the compiled core does."""
        running = self.add("CumSum", what, self.whole(axis))
        return self.add("Gather", running, self.whole(-1), axis=axis)

    def scaled(self, what: str) -> str:
        """Return the shares of the last axis of [rows, classes] in its sum."""
        return self.add("Div", what, self.widened(self.last_sum(what, 1), 1))

    def repeated(self, loops: int, start: str, body: Any) -> str:
        """Return `start` after `body(graph, name)` was applied this many times."""
        if loops == 0:
            return start
        inner = Graph(self)
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        names = [self.name() for _ in range(3)]
        result = body(inner, names[2])
        inner.nodes.append(helper.make_node("Identity", [names[1]], [going := self.name()]))
        elem = kinds.INT64 if body.__name__ == "step" else kinds.DOUBLE
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
        return self.add("Loop", self.whole(loops), "", start, body=graph)
