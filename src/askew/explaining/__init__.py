"""What a tree does with a row, why, what would change it, and how to make the tree simpler."""
