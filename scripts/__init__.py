"""The command lines: `python scripts/NAME.py` and `dixit NAME` run the same code."""
