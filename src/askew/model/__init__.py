"""Fitted models: splits, trees, rule networks, and the predictions of their leaves."""
