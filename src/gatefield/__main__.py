"""`python -m gatefield` is `gatefield`."""

import sys

from gatefield.cli import main

if __name__ == "__main__":
    sys.exit(main())
