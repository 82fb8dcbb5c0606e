"""The report: one HTML file that shows rules, how good they are, and what they predict for any row."""

from logiclens.reporting._facts import Facts
from logiclens.reporting._report import Report, report
from logiclens.reporting._subject import Source

__all__ = ["Facts", "Report", "Source", "report"]
