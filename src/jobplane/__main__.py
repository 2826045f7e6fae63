"""`python -m jobplane` is the command `jobplane`."""

from jobplane.cli.main import main

if __name__ == "__main__":
    main()
