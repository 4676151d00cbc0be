"""A fitted model as a picture: trees, partitions of the plane, single nodes, learning."""
