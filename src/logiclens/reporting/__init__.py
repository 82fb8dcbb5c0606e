"""The report: one HTML file that shows rules, how good they are, and what they say of any row."""

from logiclens.reporting.columns import Source
from logiclens.reporting.document import Report, report
from logiclens.reporting.facts import Facts

__all__ = ["Facts", "Report", "Source", "report"]
