"""The report: one HTML file that shows rules, how good they are, and what they say of any row."""
