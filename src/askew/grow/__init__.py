"""Growth of one tree: criterion, limits, the loop over nodes, the recipe of a method."""
