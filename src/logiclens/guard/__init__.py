"""Rules as a defence: reject what breaks them, and the attacks to try that on (Sec. 6.4)."""

from logiclens.guard.rule_guard import Link, RuleGuard, Violation, Violations, mutual_rules

__all__ = ["Link", "RuleGuard", "Violation", "Violations", "mutual_rules"]
