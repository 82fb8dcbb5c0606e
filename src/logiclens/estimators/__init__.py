"""The classifiers and the clusterer, with the methods of scikit-learn."""

from logiclens.estimators.classifiers import EntropyClassifier, MuClassifier, PsiClassifier, ReluClassifier
from logiclens.estimators.clusterer import LENClusterer
from logiclens.estimators.groups import group_copies
from logiclens.estimators.validation import cross_explain

__all__ = [
    "EntropyClassifier",
    "LENClusterer",
    "MuClassifier",
    "PsiClassifier",
    "ReluClassifier",
    "cross_explain",
    "group_copies",
]
