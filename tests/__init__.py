"""Tests of logiclens; what numpy, torch and scikit-learn read when they are loaded is set here."""

import os

# Tests run side by side, one process a core: threads of a pool would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Processors round sums in different ways, and training makes much of a last bit. Networks are trained with
# instructions that all of them have, so that the pages show what every machine prints.
os.environ.setdefault("MKL_CBWR", "COMPATIBLE")
os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")
