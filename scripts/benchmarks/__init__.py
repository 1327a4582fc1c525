"""The subcommands of `benchmark.py`: modules with `Args`, `EXAMPLES` and `main(args)`."""
