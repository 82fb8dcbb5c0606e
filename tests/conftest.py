"""Settings shared by all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Machines are shared and slow at times, so no example has a deadline; in CI the examples are fixed.
settings.register_profile("logiclens", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("logiclens"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "logiclens")
