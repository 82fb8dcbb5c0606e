"""Training on scores that do not fit in memory: mini-batches from Parquet, one process or many.

Explored in part, judged whole: a sample finds the concepts that matter, all rows train what is left and say
how good its rules are. :func:`~logiclens.scale.streaming.fitting.fit_streaming` is what users call.
"""
