"""Speed and memory beside peers: every figure is a ratio of two things measured in one run on one thread."""
