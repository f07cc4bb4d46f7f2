"""``python -m cli``: the command, for programs that start it with the Python they run in."""

import sys

from cli.main import main

# Workers that are started anew import this module as well, under another name.
if __name__ == "__main__":
    sys.argv[0] = "birdmodes"
    main()
