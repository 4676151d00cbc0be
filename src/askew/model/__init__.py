"""What was learnt: splits, trees, rule networks, and what their leaves predict."""
