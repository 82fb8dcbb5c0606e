"""Short logical rules over named concepts, from yes-or-no answers."""

from logiclens import logic as _logic
from logiclens.logic import *  # noqa: F403 - the names are listed once, in logiclens.logic

__version__ = "0.1.0.dev0"

__all__ = [*_logic.__all__, "__version__"]
