"""Explain predictions of a tree: paths, regions, Shapley values, counterfactuals; and simplify the tree."""
