"""``python -m xcg`` is the command ``xcg``."""

from xcg.cli.main import main

if __name__ == "__main__":
    main(prog_name="xcg")
