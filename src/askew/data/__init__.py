"""Training data: validated, encoded and held as a `Table`."""
