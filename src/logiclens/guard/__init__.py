"""Rules as a defence: reject what breaks them, and the attacks to try that on (Sec. 6.4)."""

from logiclens.guard.links import Link
from logiclens.guard.mutual import mutual_rules
from logiclens.guard.rule_guard import RuleGuard
from logiclens.guard.violations import Violation, Violations

__all__ = ["Link", "RuleGuard", "Violation", "Violations", "mutual_rules"]
