"""A fitted model as text, rules, DOT, JSON or OC1's files; `code` writes programs: Python, C, SQL, ONNX."""
