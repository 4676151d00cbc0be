"""Reads the text of `export_text` and `export_rules` back, and applies it to rows: what a person would do with it.

It knows nothing of askew: rows are dicts of arrays by the names of the columns that the text speaks of.
"""

import re

import numpy as np

_DEEP = re.compile(r"^\[(\d+)\] ")
_COUNTS = re.compile(r"\s{2,}\d+ rows?\s+[\d.]+%  .*$")
_NUMBER = r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?)"


class Reader:
    """The columns of some rows by name; `features` are categories: name -> array of labels."""

    def __init__(self, columns, features=None):
        self.columns, self.features = columns, features or {}
        self.n = len(next(iter(columns.values())))

    # --- sums and conditions

    def sum(self, text):
        """The value of a sum for each row, added in the order of the text."""
        total = np.zeros(self.n)
        names = sorted(self.columns, key=len, reverse=True)
        while text:
            sign = 1.0
            if text.startswith(("+ ", "- ")):
                sign, text = (-1.0 if text[0] == "-" else 1.0), text[2:]
            elif text.startswith("-"):
                sign, text = -1.0, text[1:]
            weight = 1.0
            found = re.match(rf"({_NUMBER})(?: |$)", text)
            if found and not any(text.startswith(name) for name in names if name[0].isdigit()):
                weight, text = float(found[1]), text[found.end() :]
            value, text = self.factor(text, names)
            total = total + sign * weight * value
        return total

    def factor(self, text, names):
        """The column, or the values of categories, with which a term ends; 1 for a constant."""
        if not text or text.startswith(("+ ", "- ")):
            return np.ones(self.n), text
        for name in names:
            if text.startswith(name) and (len(text) == len(name) or text[len(name)] == " "):
                return self.columns[name], text[len(name) + 1 :]
        for name, labels in self.features.items():
            if text.startswith(name + "{"):
                inner, _, rest = text[len(name) + 1 :].partition("}")
                values = dict(part.rsplit(": ", 1) for part in inner.split(", "))
                return np.array([float(values.get(label, 0)) for label in labels]), rest.lstrip()
        raise AssertionError(f"no column in {text!r}")

    def holds(self, text):
        """For which rows a condition is true."""
        if text.startswith("not (") and text.endswith(")"):
            return ~self.holds(text[5:-1])
        for name, labels in self.features.items():
            for label in set(labels.tolist()):
                if text in (f"{name}={label}", f"not {name}={label}"):
                    return (labels == label) ^ text.startswith("not ")
            if found := re.fullmatch(rf"{re.escape(name)} (not in|in) {{(.*)}}", text):
                return np.isin(labels, found[2].split(", ")) ^ (found[1] == "not in")
            if text.startswith(f"{name} is "):
                listed = text[len(name) + 4 :].split(" or ")
                return np.isin(labels, listed)
        if found := re.fullmatch(rf"({_NUMBER}) < (.*) <= ({_NUMBER})", text):
            return (float(found[1]) < self.sum(found[2])) & (self.sum(found[2]) <= float(found[3]))
        left, relation, right = re.fullmatch(rf"(.*) (<=|>=|<|>) ({_NUMBER})", text).groups()
        compare = {"<=": np.less_equal, ">=": np.greater_equal, "<": np.less, ">": np.greater}[relation]
        return compare(self.sum(left), float(right))

    # --- trees

    def leaves(self, text):
        """The number of the leaf of each row, in the order in which leaves are printed."""
        lines = joined(text.splitlines()[1:])
        leaf = np.full(self.n, -1)
        self.place, self.leaf_count = 0, 0
        self._node(lines, 0, np.ones(self.n, dtype=bool), leaf)
        assert self.place == len(lines) or lines[self.place][1].startswith("rounded")
        return leaf

    def _node(self, lines, depth, here, leaf):
        at, words = lines[self.place]
        assert at == depth, (at, depth, words)
        self.place += 1
        if words.startswith("=> "):
            leaf[here] = self.leaf_count
            self.leaf_count += 1
        elif words.startswith("if "):
            yes = self.holds(words[3:])
            self._node(lines, depth + 1, here & yes, leaf)
            assert lines[self.place] == (depth, "else")
            self.place += 1
            self._node(lines, depth + 1, here & ~yes, leaf)
        else:
            self._ways(lines, depth, here, leaf)

    def _ways(self, lines, depth, here, leaf):
        """A linear machine, or a test of categories: the ways stand before their children, which follow each other."""
        start, ways = self.place, []
        for at, words in lines[start:]:
            if at < depth or (at == depth and not words.startswith("where ")):
                break
            if at == depth:
                ways.append(words.removeprefix("where "))
        if all(way.endswith(" is largest") for way in ways):
            sums = [self.sum(way.removesuffix(" is largest")) for way in ways]
            child = np.argmax(sums, axis=0)
            routes = [child == k for k in range(len(ways))]
        else:
            named = [self.holds(way.replace(" or any other", "")) for way in ways]
            rest = ~np.logical_or.reduce(named)
            routes = [h | rest if "any other" in way else h for h, way in zip(named, ways, strict=True)]
        for route in routes:
            self.place += 1
            self._node(lines, depth + 1, here & route, leaf)

    # --- rules

    def rules(self, text):
        """For which rows each rule holds (rules x rows)."""
        found = []
        for line in re.sub(r"\n {3,}", " ", text).splitlines()[1:]:
            if line.startswith("if "):
                found.append(np.logical_and.reduce([self.holds(part) for part in line[3:].split(" and ")]))
            elif line == "always":
                found.append(np.ones(self.n, dtype=bool))
        return np.array(found)

    # --- networks

    def regions(self, text):
        """The number of the region of each row: the first that holds it."""
        held, number = {}, None
        for _, words in joined(text.splitlines()[1:]):
            if found := re.fullmatch(r"region (\d+)(: otherwise)?", words):
                number = int(found[1]) - 1
                held[number] = np.ones(self.n, dtype=bool)
            elif number is not None and re.search(rf" (<=|>=|<|>) {_NUMBER}$", words):
                held[number] &= self.holds(words)
        return np.argmax([held[k] for k in sorted(held)], axis=0)


def joined(lines):
    """The lines with their depth, without the columns on the right; those that continue another are part of it."""
    found = []
    for line in lines:
        bare = _COUNTS.sub("", line).rstrip()
        bars = re.match(r"(?:\|  )*", bare)[0]
        words = bare[len(bars) :]
        depth = len(bars) // 3
        if words.startswith("     ") or not words:
            found[-1] = (found[-1][0], f"{found[-1][1]} {words.strip()}".rstrip())
            continue
        if deep := _DEEP.match(words):
            depth, words = int(deep[1]), words[deep.end() :]
        found.append((depth, words))
    return found
