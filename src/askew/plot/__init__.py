"""A fitted model as a picture, drawn with Matplotlib (extra ``plot``): trees, partitions, nodes, learning."""
