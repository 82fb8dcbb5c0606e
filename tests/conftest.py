"""Settings shared by all tests."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# Machines are shared and slow at times, so no example has a deadline. Draws are the same in every run, so
# that what passes once passes again; `make fuzz` has random ones.
settings.register_profile(
    "random", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("fixed", settings.get_profile("random"), derandomize=True)
settings.load_profile("random" if os.environ.get("LOGICLENS_FUZZ") else "fixed")

# Shells let what scripts do in the background ignore Ctrl-C; what tests start is stopped by it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
