"""A fitted model as a program of another language: C, Python without askew, SQL, ONNX."""
