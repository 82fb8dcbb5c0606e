"""``python -m logiclens``: the same as the command."""

from logiclens.cli import app

if __name__ == "__main__":
    app(prog_name="logiclens")
