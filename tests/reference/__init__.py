"""Plain versions of the algorithms: slow, short, and written from the definitions. The executable specification."""
