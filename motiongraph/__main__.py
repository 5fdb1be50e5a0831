"""`motiongraph` and `python -m motiongraph`."""

import os
import sys


def main() -> None:
    try:
        from motiongraph.cli import main

        main()
    except KeyboardInterrupt:  # before the command line could take care of it
        sys.exit(130)


if __name__ == "__main__":
    # For -m Python looks into the working folder first, where a numpy.py may lie beside someone's clips.
    if sys.path[0] == os.getcwd() != os.path.dirname(os.path.dirname(os.path.realpath(__file__))):
        del sys.path[0]
    main()
