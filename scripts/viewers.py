"""Do people understand the bots: the studies of `dixit viewers`, under the name of this script."""

import sys

from dixit_env.scripts.main import VIEWERS, call

if __name__ == "__main__":
    call("viewers.py", VIEWERS, sys.argv[1:])
