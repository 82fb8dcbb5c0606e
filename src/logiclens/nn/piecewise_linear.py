"""Whether a model of your own is piecewise linear, and which affine map it is at a row (Theorem 4.1).

A model is read by tracing it (:mod:`torch.fx`): what it does to its inputs, step by step, whether it is a
``Sequential``, nested ones, or a class with a ``forward``. It is piecewise linear where every step is: linear
layers, batch normalization with the statistics of training, dropout in evaluation mode, ReLU and its kind,
sums, slices and changes of shape. A sigmoid or softmax at the end is left out, as it changes no decision.
What cannot be traced, or has another step, is not known to be piecewise linear, and the reason is said.

At a row such a model is one affine map: its weights are the gradient there, its bias is what is then missing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import Tensor, fx, nn
from torch.nn import functional as F

from logiclens.nn.model_outputs import evaluation_mode
from logiclens.nn.relu import AffineMap

_LAYERS: Final = {
    kind.forward
    for kind in (
        nn.Linear,
        nn.Identity,
        nn.Flatten,
        nn.Dropout,
        nn.AlphaDropout,
        nn.BatchNorm1d,
        nn.ReLU,
        nn.LeakyReLU,
        nn.PReLU,
        nn.RReLU,
        nn.ReLU6,
        nn.Hardtanh,
    )
}
"""Layers that are piecewise linear in evaluation mode; not a subclass with a ``forward`` of its own."""

_SHAPES: Final = {torch.flatten, torch.squeeze, torch.unsqueeze, torch.reshape}
_SHAPES_BY_NAME: Final = {"flatten", "squeeze", "unsqueeze", "reshape", "view", "contiguous"}
_STEPS: Final = _SHAPES | {
    operator.add,
    operator.iadd,
    operator.sub,
    operator.neg,
    operator.getitem,
    torch.add,
    torch.sub,
    torch.neg,
    torch.cat,
    torch.stack,
    torch.sum,
    torch.mean,
    torch.abs,
    torch.maximum,
    torch.minimum,
    torch.relu,
    F.relu,
    F.leaky_relu,
    F.relu6,
    F.hardtanh,
}
_STEPS_BY_NAME: Final = _SHAPES_BY_NAME | {"add", "sub", "neg", "sum", "mean", "abs", "relu"}
_PRODUCTS: Final = {
    operator.mul,
    operator.matmul,
    operator.truediv,
    torch.mul,
    torch.matmul,
    torch.div,
    torch.einsum,
    F.linear,
}
"""Linear where only one of the factors depends on the inputs, and that is not a divisor."""
_PRODUCTS_BY_NAME: Final = {"mul", "matmul", "div"}
_DIVISIONS: Final = {operator.truediv, torch.div, "div"}
_SIGMOIDS: Final = {nn.Sigmoid.forward, torch.sigmoid, F.sigmoid, "sigmoid"}
_PROBABILITIES: Final = {
    nn.Softmax.forward,
    torch.softmax,
    F.softmax,
    "softmax",
} | _SIGMOIDS
_LOG_PROBABILITIES: Final = {nn.LogSoftmax.forward, torch.log_softmax, F.log_softmax, "log_softmax"}


@dataclass(frozen=True, eq=False)
class TracedModel:
    """What was found out about a model by tracing it.

    Attributes
    ----------
    logits : callable, optional
        The model without a sigmoid or softmax at its end, with the model's own weights; None where it could
        not be traced.
    obstacle : str
        Why the model is not known to be piecewise linear; empty where it is.
    ends : {"logits", "probabilities", "log probabilities", ""}
        What its outputs are, as far as its last step shows it.
    """

    logits: Callable[[Tensor], Tensor] | None
    obstacle: str
    ends: str = ""


class _Tracer(fx.Tracer):
    """Layers of torch are steps; a module whose ``forward`` a user wrote is looked into."""

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:  # noqa: ARG002 - torch's
        written = type(m).forward.__module__  # pruned layers have a class of torch around the user's
        return written.startswith("torch.") and not isinstance(m, nn.Sequential)


def trace_model(model: nn.Module) -> TracedModel:
    """Find out whether a model is piecewise linear.

    Parameters
    ----------
    model : torch.nn.Module

    Returns
    -------
    TracedModel

    Examples
    --------
    >>> layers = [nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LeakyReLU(), nn.Linear(4, 1), nn.Sigmoid()]
    >>> traced = trace_model(nn.Sequential(*layers))
    >>> traced.obstacle, traced.ends
    ('', 'probabilities')
    >>> trace_model(nn.Sequential(nn.Linear(3, 1), nn.Tanh(), nn.Linear(1, 1))).obstacle
    'Tanh is not known to be piecewise linear'
    """
    if any(part._forward_hooks or part._forward_pre_hooks for part in model.modules()):
        return TracedModel(None, "hooks may change what its layers do")
    try:
        with evaluation_mode(model), _kept_attributes(model):
            graph = _Tracer().trace(model)
    except Exception as error:  # whatever a forward does that cannot be followed
        return TracedModel(None, f"its forward cannot be traced ({type(error).__name__})")
    if sum(node.op == "placeholder" for node in graph.nodes) != 1:
        return TracedModel(None, "its forward takes more than the rows")
    (output,) = (node for node in graph.nodes if node.op == "output")
    last, sliced = output.args[0], False
    while isinstance(last, fx.Node) and (_is_shape(last, model) or last.target is operator.getitem):
        sliced = sliced or last.target is operator.getitem
        last = last.all_input_nodes[0]
    if not isinstance(last, fx.Node):
        return TracedModel(None, "its forward does not return one tensor")
    ends = _ends(last, model)
    if sliced and ends.endswith("probabilities") and _what(last, model) not in _SIGMOIDS:
        ends = ""  # one of the classes of a softmax: its logit alone does not decide
    if ends.endswith("probabilities"):
        last.replace_all_uses_with(last.all_input_nodes[0])
        graph.erase_node(last)
    obstacle = _obstacle(graph, model)
    return TracedModel(fx.GraphModule(model, graph), obstacle, ends)


@contextmanager
def _kept_attributes(model: nn.Module) -> Iterator[None]:
    """Put back what a ``forward`` stores in its model: while it is traced, that is no tensor."""
    before = [(vars(part), dict(vars(part)), dict(part._buffers)) for part in model.modules()]
    try:
        yield
    finally:
        for now, attributes, buffers in before:
            now.clear()
            now.update(attributes)
            now["_buffers"].clear()
            now["_buffers"].update(buffers)


def _what(node: fx.Node, model: nn.Module) -> Any:
    """What a step calls: the forward of a layer, a function, or the name of a method."""
    if node.op == "call_module":
        return type(model.get_submodule(str(node.target))).forward
    return node.target


def _is_shape(node: fx.Node, model: nn.Module) -> bool:
    what = _what(node, model)
    return what in _SHAPES or what in _SHAPES_BY_NAME or what in (nn.Flatten.forward, nn.Identity.forward)


def _ends(last: fx.Node, model: nn.Module) -> str:
    what = _what(last, model)
    if what in _PROBABILITIES:
        return "probabilities"
    if what in _LOG_PROBABILITIES:
        return "log probabilities"
    return "logits" if what in (nn.Linear.forward, F.linear) else ""


def _obstacle(graph: fx.Graph, model: nn.Module) -> str:
    """The first step that is not known to be piecewise linear in the inputs; empty where there is none."""
    moving: set[fx.Node] = set()  # what depends on the inputs
    for node in graph.nodes:
        if node.op == "output":
            continue
        found = _moving_inputs(node, moving)
        if node.op == "placeholder":
            moving.add(node)
        elif found and not _reads_shape(node):
            moving.add(node)
            if not _is_linear(node, model, found, moving):
                return f"{_name(node, model)} is not known to be piecewise linear"
    return ""


def _moving_inputs(node: fx.Node, moving: set[fx.Node]) -> list[fx.Node]:
    """What a step reads that depends on the inputs, as often as it reads it."""
    found: list[fx.Node] = []
    fx.node.map_arg((node.args, node.kwargs), lambda each: found.append(each) if each in moving else None)
    return found


def _reads_shape(node: fx.Node) -> bool:
    return node.target in ("size", "dim") or (node.target is getattr and node.args[1] in ("shape", "ndim"))


def _is_linear(node: fx.Node, model: nn.Module, found: list[fx.Node], moving: set[fx.Node]) -> bool:
    what = _what(node, model)
    if node.op == "call_module":
        looks_at_rows = getattr(model.get_submodule(str(node.target)), "running_mean", 0) is None
        return what in _LAYERS and len(found) == 1 and not looks_at_rows
    if what in _PRODUCTS or what in _PRODUCTS_BY_NAME:
        return len(found) == 1 and (what not in _DIVISIONS or node.args[0] is found[0])
    if what is operator.getitem:  # a mask that depends on the inputs is a step
        return node.args[0] in moving and len(found) == 1
    if what is F.dropout:
        return node.kwargs.get("training", True) is False
    return what in _STEPS or what in _STEPS_BY_NAME


def _name(node: fx.Node, model: nn.Module) -> str:
    if node.op == "call_module":
        return type(model.get_submodule(str(node.target))).__name__
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))


def affine_map_of(outputs: Callable[[Tensor], Tensor], x: Tensor) -> AffineMap:
    """The affine map that a piecewise linear function of rows is at each of them.

    Parameters
    ----------
    outputs : callable
        Maps (n, n_concepts) to (n, n_outputs), each row for itself.
    x : Tensor of shape (n, n_concepts)

    Returns
    -------
    AffineMap
        Weights of shape (n_outputs, n, n_concepts), biases of shape (n_outputs, n).
    """
    with torch.enable_grad():
        rows = x.detach().clone().requires_grad_()
        found = outputs(rows.clone())  # a model may change its inputs in place
        slopes = [
            torch.autograd.grad(column.sum(), rows, retain_graph=True, allow_unused=True)[0]
            if column.requires_grad
            else None
            for column in found.unbind(dim=1)
        ]
    weight = torch.stack([torch.zeros_like(x) if each is None else each for each in slopes])
    return AffineMap(weight, found.detach().T - (weight * x).sum(dim=-1))


def as_table(outputs: Tensor) -> Tensor:
    """Outputs of shape (n,), (n, n_outputs) or (n, n_outputs, 1) as (n, n_outputs)."""
    if outputs.dim() == 3 and outputs.shape[2] == 1:
        return outputs.squeeze(2)
    return outputs.unsqueeze(1) if outputs.dim() == 1 else outputs
