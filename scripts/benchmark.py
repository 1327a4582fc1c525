"""Measure: the benchmarks of `dixit benchmark`, under the name of this script."""

import sys

from dixit_env.scripts.main import BENCHMARKS, call

if __name__ == "__main__":
    call("benchmark.py", BENCHMARKS, sys.argv[1:])
