"""`python -m dixit_env` is the command `dixit`."""

from dixit_env.scripts.main import main

if __name__ == "__main__":
    main()
