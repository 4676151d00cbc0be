"""A predictor in plain Python, written from docs/reference/json.md alone: no NumPy, nothing of the package."""

from math import exp, isfinite, isnan


def predict(document, row):
    """Return the class or the number that a document predicts for a row, given as a list with None where missing."""
    if document["kind"] == "vote":
        votes = [predict(member, row) for member in document["members"]]
        count = [votes.count(label) for label in document["classes"]]
        best = max(zip(count, document["class_weights"], strict=True))
        places = [k for k, pair in enumerate(zip(count, document["class_weights"], strict=True)) if pair == best]
        return document["classes"][places[0]]
    value = values(document, row)
    return value[0] if document["classes"] is None else document["classes"][value.index(max(value))]


def values(document, row):
    """Return the weight or the share of each class, or a list of one number."""
    x = columns(document, [feature(document, j, cell) for j, cell in enumerate(row)], row)
    if document["kind"] == "forest":
        return forest(document, x)
    if document["kind"] == "boosting":
        return boosting(document, x)
    if document["kind"] == "one-vs-rest":
        odds = []
        for tree in document["trees"]:
            rest, own = reached(document, tree, x)
            places = tree["regions"] if "regions" in tree else tree["nodes"][:1]
            odds.append((own + 1) / (rest + 1) if sum(place["value"][1] for place in places) > 0 else 0.0)
        return [one / sum(odds) for one in odds]
    return reached(document, document, x)


def reached(document, tree, x):
    """Return what the leaf or the region of a row predicts."""
    if "nodes" in tree:
        return walk(document, tree["nodes"], x)
    for region in tree["regions"]:
        if all(child(tree["tests"][test], x) == side for test, side in region["conditions"]):
            return region["value"]
    return tree["regions"][-1]["value"]


def forest(document, x):
    """Return the sum of the shares of the classes over the trees, or the mean of their numbers."""
    found = [walk(document, tree["nodes"], x) for tree in document["trees"]]
    if document["classes"] is None:
        total = 0.0
        for (number,) in found:
            total += number
        return [total / len(found)]
    shares = [0.0] * len(document["classes"])
    for weights in found:
        shares = [share + weight / sum(weights) for share, weight in zip(shares, weights, strict=True)]
    return shares


def boosting(document, x):
    """Return the probabilities of the classes (for softmax what is in their order), or a list of one number."""
    outputs = len(document["baseline"])
    total = [0.0] * outputs
    for i, tree in enumerate(document["trees"]):
        total[i % outputs] += walk(document, tree["nodes"], x)[0]
    total = [a + b for a, b in zip(total, document["baseline"], strict=True)]
    if document["link"] == "softmax":
        return total
    if document["link"] == "logit":
        return [0.0, total[0]] if len(document["classes"]) == 2 else [1.0]
    return [exp(total[0])] if document["link"] == "log" else total


UNKNOWN = object()


def feature(document, j, cell):
    """Return a number, a category, UNKNOWN for one that no test names, or None where it stays missing."""
    told = document["features"][j]
    if told["categories"] is not None and cell in told["categories"]:
        return cell
    if cell is None:
        assert document["missing"] != "error"
        if document["missing"] in ("mean", "indicator"):
            return told["mean"] if told["categories"] is None else UNKNOWN
        return None
    return cell if told["categories"] is None else UNKNOWN


def columns(document, row, given):
    x = {}
    for column in document["columns"]:
        told, cell = document["features"][column["feature"]], row[column["feature"]]
        if column.get("missing"):
            x[column["name"]] = float(given[column["feature"]] is None)
        elif column["category"] is None:
            x[column["name"]] = cell
        else:
            stays_missing = cell is None and None not in told["categories"]
            is_it = cell is not UNKNOWN and cell == told["categories"][column["category"]]
            x[column["name"]] = None if stays_missing else float(is_it)
    return x


def walk(document, nodes, x):
    if document["missing"] == "fractional":
        return spread(nodes, nodes[0], x, 1.0)
    node = nodes[0]
    while "test" in node:
        node = nodes[node["children"][child(node["test"], x)]]
    return at_leaf(node, x)


def at_leaf(node, x):
    """Return what a leaf predicts: its value, or by its linear model a number in a range, or weights of the classes."""
    row = [x[name] for name in node["model"]["columns"]] if "model" in node else [None]
    if None in row:
        return node["value"]
    sums = [added(one["constant"], one["weights"], row) for one in node["model"]["sums"]]
    if node["model"]["range"] is not None:
        low, high = node["model"]["range"]
        return node["value"] if isnan(sums[0]) else [min(max(sums[0], low), high)]
    if not all(map(isfinite, sums)):
        return node["value"]
    powers = [exp(one - max(sums)) for one in sums]
    return [sum(node["value"]) * power / sum(powers) for power in powers]


def spread(nodes, node, x, part):
    """Return the shares of the classes, times the part of the row that is here."""
    if "test" not in node:
        weights = at_leaf(node, x)
        return [part * weight / sum(weights) for weight in weights]
    below = [nodes[i] for i in node["children"]]
    if all(x[name] is not None for name in needed(node["test"])):
        return spread(nodes, below[child(node["test"], x)], x, part)
    total = sum(one["weight"] for one in below)
    parts = [spread(nodes, one, x, part * one["weight"] / total) for one in below]
    return [sum(shares) for shares in zip(*parts, strict=True)]


def needed(test):
    return [test["column"]] if test["kind"] == "categories" else test["columns"]


def child(test, x):
    if test["kind"] == "categories":
        category = x[test["column"]]
        if category in test["categories"]:
            return test["goes_to"][test["categories"].index(category)]
        return test["otherwise"]
    row = [x[name] for name in test["columns"]]
    if test["kind"] == "hyperplane":
        return 0 if None not in row and added(0.0, test["weights"], row) <= test["threshold"] else 1
    sums = [added(one["constant"], one["weights"], row) for one in test["sums"]]
    if isnan(sums[0]):
        return 0
    return sums.index(max(one for one in sums if not isnan(one)))


def added(total, weights, row):
    for weight, cell in zip(weights, row, strict=True):
        total += weight * cell
    return total
