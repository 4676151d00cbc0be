"""``python -m askew`` is the command line."""

from askew.cli import main

if __name__ == "__main__":
    main()
