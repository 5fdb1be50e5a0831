"""`motiongraph` and `python -m motiongraph`."""

import sys


def main() -> None:
    try:
        from motiongraph.cli import main

        main()
    except KeyboardInterrupt:  # before the command line could take care of it
        sys.exit(130)


if __name__ == "__main__":
    main()
