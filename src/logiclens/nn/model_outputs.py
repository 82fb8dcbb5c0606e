"""What a model of your own says about rows: on its device, in its precision, and without leaving a trace.

A model is called in evaluation mode, and each of its parts is put back into the mode it was in.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import torch
from torch import Tensor, nn

from logiclens.errors import InputError, count, shown

_BLOCK: Final = 1 << 15  # rows at once


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """Put a model into evaluation mode, and each of its parts back into its own mode in the end."""
    modes = [(part, part.training) for part in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def as_input(model: nn.Module, rows: Any) -> Tensor:
    """Rows as a tensor of its own, on the model's device and in its precision; without weights in float32."""
    weights = next(iter([*model.parameters(), *model.buffers()]), torch.zeros(0))
    kind = weights.dtype if weights.dtype.is_floating_point else torch.float32
    return torch.as_tensor(rows).detach().to(weights.device, kind, copy=True)


@torch.no_grad()
def predict_rows(model: nn.Module, rows: Any) -> Tensor:
    """Outputs of a model on rows, on the CPU in double precision.

    Parameters
    ----------
    model : torch.nn.Module
    rows : array or Tensor, n rows

    Returns
    -------
    Tensor of shape (n, ...)
    """
    x = torch.as_tensor(rows)
    outputs = []
    with evaluation_mode(model):
        for start in range(0, max(len(x), 1), _BLOCK):
            block = as_input(model, x[start : start + _BLOCK])
            try:
                found = model(block)
            except Exception as error:  # whatever a forward raises
                shape = f"{count(len(block), 'row')} of shape {tuple(block.shape[1:])}"
                why = str(error).partition("\n")[0] or type(error).__name__
                raise InputError(
                    f"The model {type(model).__name__} cannot read {shape}: {why}. "
                    "Pass the inputs that it was trained on."
                ) from error
            if not isinstance(found, Tensor) or found.shape[:1] != block.shape[:1]:
                got = f"shape {tuple(found.shape)}" if isinstance(found, Tensor) else shown(found)
                raise InputError(
                    f"A model must give one row of outputs for each row of concepts. Got {got}; "
                    "of stacked networks explain one member."
                )
            if found.dtype == torch.bool:
                raise InputError(
                    "The model's outputs are True and False. Return the logits that they come from."
                )
            outputs.append(found.double().cpu())
    return torch.cat(outputs)
