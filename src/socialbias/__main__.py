"""`python -m socialbias` is the command `socialbias`."""

from socialbias.commands.cli import main

if __name__ == "__main__":
    main()
