"""The ``logiclens`` command: a module for each command reads options, calls the library and prints.

Heavy packages are imported when a command runs, so that ``logiclens --help`` is quick.
"""

from logiclens.cli.app import app

__all__ = ["app"]
