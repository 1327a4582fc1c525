"""The subcommands of `viewers.py`: modules with `Args`, `EXAMPLES` and `main(args)`."""
