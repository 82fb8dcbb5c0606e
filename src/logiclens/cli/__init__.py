"""The ``logiclens`` command: each command in a module of its own, which reads arguments, calls and prints.

What is heavy is imported when a command runs, so that ``logiclens --help`` is there at once.
"""

from logiclens.cli.app import app

__all__ = ["app"]
