import re

from handmade import chain_tree, mixed_tree

import askew


def test_every_node_and_every_edge_is_drawn():
    tree = mixed_tree()
    text = askew.export_dot(tree, feature_names=["a", "b", "c"])
    assert len(re.findall(r"^  \d+ \[label", text, re.M)) == tree.node_count
    edges = re.findall(r"^  (\d+) -> (\d+) ", text, re.M)
    assert {int(child): int(parent) for parent, child in edges} == {
        node: int(parent) for node, parent in enumerate(tree.parent) if parent >= 0
    }
    assert '0 [label="a - 2 b <= 0.5\\n' in text
    assert '2 -> 7 [label="c is any other"]' in text


def test_quotes_in_names_are_escaped():
    tree = askew.CARTClassifier().fit([[1.0], [2.0]], ['say "no"', "back\\slash"])
    text = askew.export_dot(tree)
    assert 'say \\"no\\"' in text
    assert "back\\\\slash" in text


def test_nodes_below_max_depth_are_summed_up():
    text = askew.export_dot(mixed_tree(), max_depth=1)
    assert text.count("leaves below") == 2
    assert text.count(" -> ") == 2


def test_a_chain_is_drawn_without_recursion():
    assert askew.export_dot(chain_tree(3000)).count(" -> ") == 6000
