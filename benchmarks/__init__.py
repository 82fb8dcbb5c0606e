"""Side-by-side timings: the same work by this package and by others, in one run, as ratios."""
