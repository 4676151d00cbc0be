"""A plain walk down a tree, straight from the description of the splits."""

from askew.model.split import CATEGORY_TABLE, HYPERPLANE, LEAF, LINEAR_MACHINE


def plain_route(tree, node, x):
    """Return which child of a node a row goes to."""
    features, weights = tree.test(node)
    if tree.kind[node] == HYPERPLANE:
        total = 0.0
        for j, w in zip(features, weights, strict=True):
            total += w * x[j]
        return 0 if total <= tree.threshold[node] else 1
    if tree.kind[node] == LINEAR_MACHINE:
        sums = []
        for row in weights.reshape(tree.n_children[node], -1):
            total = row[-1]
            for j, w in zip(features, row[:-1], strict=True):
                total += w * x[j]
            sums.append(total)
        return sums.index(max(sums))
    assert tree.kind[node] == CATEGORY_TABLE
    code = x[features[0]]
    return int(dict(enumerate(weights)).get(code, tree.threshold[node]))


def plain_path(tree, x):
    """Return the nodes that a row passes, from the root to its leaf."""
    node, path = 0, [0]
    while tree.kind[node] != LEAF:
        node = int(tree.first_child[node]) + plain_route(tree, node, x)
        path.append(node)
    return path
