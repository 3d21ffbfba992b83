"""`python -m linkwork` is the same as the command `linkwork`."""

from __future__ import annotations

import sys

from linkwork.cli.app import entry

if __name__ == "__main__":
    sys.exit(entry())
