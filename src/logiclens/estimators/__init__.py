"""The classifiers, with the methods of scikit-learn."""

from logiclens.estimators.classifiers import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.validation import cross_explain

__all__ = ["EntropyClassifier", "MuClassifier", "PsiClassifier", "ReluClassifier", "cross_explain"]
