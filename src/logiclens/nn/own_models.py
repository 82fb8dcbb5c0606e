"""Models of your own: stacked, penalized, pruned, and read layer by layer (Sec. 4.3 and 5).

Any :class:`torch.nn.Module` will do. :func:`stack_networks` makes a population of many copies of one
architecture: their parameters stand along a first axis and the model runs once for all of them
(:func:`torch.func.vmap`), so restarts of a small network cost little more than one.

L1 penalties and pruning take any model that has :class:`torch.nn.Linear` layers, stacked or not: penalties
add up over the members, and each member is pruned for itself. What is pruned stays zero whatever the
optimizer does: the layer's weight is ``weight * mask`` each time it is read. Reading a network as an affine
map at each row takes a piecewise linear model (:mod:`~logiclens.nn.piecewise_linear`), reading it neuron by
neuron (psi) a :class:`torch.nn.Sequential` of linear layers with sigmoids between them. Anything else is
refused, in one line.

:class:`StepSigmoid` is the activation of a psi network of your own, :class:`EntropyLinear` the first layer of
an entropy network.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn.utils import parametrize

from logiclens.errors import InputError, count, shown
from logiclens.logic.data import as_float, check_count
from logiclens.nn.criteria import entropy
from logiclens.nn.entropy import concept_attention
from logiclens.nn.model_outputs import as_input, evaluation_mode
from logiclens.nn.piecewise_linear import affine_map_of, as_table, trace_model
from logiclens.nn.pruning import largest_weights, most_relevant, relative
from logiclens.nn.psi import steepness, step_sigmoid
from logiclens.nn.relu import AffineMap


class StackedNetworks(nn.Module):
    """Models of one architecture with a leading population axis; see :func:`stack_networks`.

    Parameters
    ----------
    models : sequence of torch.nn.Module
        Alike but for the values of their parameters and buffers, all training or none.

    Attributes
    ----------
    members : int
    stacked : torch.nn.Module
        Holds the parameters and buffers, each with a leading axis of that length; not to be called itself.
    """

    def __init__(self, models: Sequence[nn.Module]) -> None:
        super().__init__()
        checked = list(models)
        if not checked or not all(isinstance(model, nn.Module) for model in checked):
            raise InputError(
                f"Networks to stack must be torch.nn.Modules, at least one. Got {shown(models)}."
            )
        shapes = [{name: value.shape for name, value in model.state_dict().items()} for model in checked]
        odd = next((at for at, shape in enumerate(shapes) if shape != shapes[0]), None)
        if odd is not None:
            raise InputError(
                f"Networks to stack must be of one architecture. Number {odd} has other layers than number 0."
            )
        parameters, buffers = stack_module_state(checked)
        self.members = len(checked)
        self.stacked = copy.deepcopy(checked[0])
        for name, value in [*parameters.items(), *buffers.items()]:
            owner, _, own_name = name.rpartition(".")
            holder = self.stacked.get_submodule(owner)
            fresh = value.detach()
            is_parameter = name in parameters
            (holder._parameters if is_parameter else holder._buffers)[own_name] = (
                nn.Parameter(fresh) if is_parameter else fresh
            )

    def forward(self, x: Tensor) -> Tensor:
        """Outputs of every member on the same rows.

        Parameters
        ----------
        x : Tensor of shape (n, ...)

        Returns
        -------
        Tensor of shape (members, n, ...)
        """

        def call(state: tuple[dict[str, Tensor], dict[str, Tensor]]) -> Tensor:
            out: Tensor = functional_call(self.stacked, state, (x,))
            return out

        parameters: dict[str, Tensor] = dict(self.stacked.named_parameters())
        state = parameters, dict(self.stacked.named_buffers())
        outputs: Tensor = vmap(call, randomness="different")(state)
        return outputs

    def member(self, index: int) -> nn.Module:
        """A copy of one member as the plain model it is, to explain it or to train it on."""
        if not isinstance(index, int) or not 0 <= index < self.members:
            raise InputError(
                f"A member is a number from 0 to {self.members - 1}. Got {shown(index)}; "
                f"the population has {count(self.members, 'member')}."
            )
        twin = copy.deepcopy(self.stacked)
        for module in twin.modules():
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    module._parameters[name] = nn.Parameter(parameter.detach()[index].clone())
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = buffer[index].clone()
        return twin


def stack_networks(make: Callable[[], nn.Module], seeds: Sequence[int]) -> StackedNetworks:
    """Make a population of a model of your own, one member for each seed.

    Parameters
    ----------
    make : callable
        Returns a new model each time. Torch's random generators are seeded before each call and put back
        in the end, so that a member depends on its own seed alone and nothing global changes.
    seeds : sequence of int

    Returns
    -------
    StackedNetworks
        Called with rows of shape (n, n_concepts) it gives (members, n, n_outputs).

    Examples
    --------
    >>> def make():
    ...     return nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
    >>> networks = stack_networks(make, seeds=range(5))
    >>> x = torch.tensor([[0.0, 1.0], [1.0, 1.0]])
    >>> networks(x).shape
    torch.Size([5, 2, 1])
    >>> torch.allclose(networks(x)[3], networks.member(3)(x))
    True
    """
    devices = range(torch.cuda.device_count()) if torch.cuda.is_available() else []
    models = []
    with torch.random.fork_rng(devices=devices):
        for seed in seeds:
            torch.manual_seed(seed)
            models.append(make())
    return StackedNetworks(models)


class StepSigmoid(nn.Module):
    """An activation for a psi network of your own: a sigmoid that becomes a step.

    It starts as :class:`torch.nn.Sigmoid`. Call :meth:`anneal` while fine-tuning; from half-way on its values
    are 0 and 1.

    Attributes
    ----------
    slope : float
    hard : bool

    Examples
    --------
    >>> activation = StepSigmoid()
    >>> activation(torch.tensor([-1.0, 1.0]))
    tensor([0.2689, 0.7311])
    >>> activation.anneal(1.0)
    >>> activation(torch.tensor([-1.0, 1.0]))
    tensor([0., 1.])
    """

    def __init__(self) -> None:
        super().__init__()
        self.slope, self.hard = steepness(0.0)

    def anneal(self, progress: float) -> None:
        """Tell the activation how much of the fine-tuning is done, from 0 to 1."""
        self.slope, self.hard = steepness(progress)

    def forward(self, z: Tensor) -> Tensor:
        """Values in [0, 1], shaped as the inputs."""
        return step_sigmoid(z, self.slope, self.hard)

    def extra_repr(self) -> str:
        """What ``repr`` shows."""
        return f"slope={self.slope:g}, hard={self.hard}"


class EntropyLinear(nn.Linear):
    """The first layer of an entropy network of your own: a linear layer that attends to its inputs.

    Add ``strength * entropy_penalty(model)`` to the loss, so that attention gathers on few concepts, and drop
    the others with :func:`prune_inputs`. With ``n_classes`` each class has weights and attention of its own:
    put a layer of one output last, and the model gives (n, n_classes, 1), a logit for each class. Without it
    all outputs of a model share one attention.

    Parameters
    ----------
    in_features, out_features : int
        As for :class:`torch.nn.Linear`.
    temperature : float, default 0.7
        Smaller is sharper.
    n_classes : int, optional
        How many classes have weights of their own.
    bias : bool, default True
        As for :class:`torch.nn.Linear`.

    Examples
    --------
    >>> layer = EntropyLinear(3, 4)
    >>> layer(torch.ones(5, 3)).shape, layer.attention().shape
    (torch.Size([5, 4]), torch.Size([3]))
    >>> layer = EntropyLinear(3, 4, n_classes=2)
    >>> layer(torch.ones(5, 3)).shape, layer.attention().shape
    (torch.Size([5, 2, 4]), torch.Size([2, 3]))

    References
    ----------
    Barbiero et al., *Entropy-based Logic Explanations of Neural Networks*, AAAI 2022.
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        temperature: float = 0.7,
        *,
        n_classes: int | None = None,
        bias: bool = True,
    ) -> None:
        classes = 1 if n_classes is None else _at_least_one(n_classes, "n_classes")
        super().__init__(in_features, classes * out_features, bias)
        if not as_float(temperature) > 0:
            raise InputError(f"temperature must be a number greater than 0. Got {shown(temperature)}.")
        self.temperature, self.n_classes, self.out_features = float(temperature), n_classes, out_features
        if n_classes is not None:
            self.weight = nn.Parameter(self.weight.detach().view(classes, out_features, in_features))
            if bias:
                self.bias = nn.Parameter(self.bias.detach().view(classes, out_features))

    def attention(self) -> Tensor:
        """``alpha``, shape (in_features,), of each class (n_classes, in_features); 0 where pruned.

        Stacked networks have an axis of members before these.
        """
        weight = self.weight
        unused = (weight == 0).all(dim=-2)  # by training alone no column gets to be exactly zero
        unused = unused & ~unused.all(dim=-1, keepdim=True)
        return concept_attention(weight, unused, self.temperature)

    def entropy(self) -> Tensor:
        """Entropy of the attention: a scalar, or one for each class, (n_classes,)."""
        return entropy(self.attention())

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., in_features) to (..., out_features) or (..., n_classes, out_features).

        The inputs are scaled by ``alpha / max alpha``.
        """
        alpha = self.attention()
        scale = alpha / alpha.amax(dim=-1, keepdim=True)
        if self.n_classes is None:
            return super().forward(x * scale)
        out = torch.einsum("...j,kuj->...ku", x, self.weight * scale[:, None, :])
        return out if self.bias is None else out + self.bias

    def extra_repr(self) -> str:
        """What ``repr`` shows."""
        classes = "" if self.n_classes is None else f", n_classes={self.n_classes}"
        return f"{super().extra_repr()}, temperature={self.temperature:g}{classes}"


def entropy_penalty(model: nn.Module) -> Tensor:
    """Entropy of the attention of all entropy layers, ``sum_i H(alpha_i)`` over their classes; a scalar.

    Examples
    --------
    >>> model = torch.nn.Sequential(EntropyLinear(4, 3, n_classes=2), nn.LeakyReLU(), nn.Linear(3, 1))
    >>> _ = torch.nn.init.ones_(model[0].weight)
    >>> round(entropy_penalty(model).item(), 4)  # 2 log 4
    2.7726
    """
    layers = [layer for layer in linear_layers(model) if isinstance(layer, EntropyLinear)]
    if not layers:
        raise InputError(f"The model {type(model).__name__} has no EntropyLinear layer. Put one first.")
    return torch.stack([layer.entropy().sum() for layer in layers]).sum()


def l1_penalty(model: nn.Module) -> Tensor:
    """``||W||_1`` over the weights of all linear layers, biases aside; a scalar (Sec. 4.3).

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 1))
    >>> _ = torch.nn.init.constant_(model[0].weight, -0.5)
    >>> l1_penalty(model).item()
    1.0
    """
    return torch.stack([layer.weight.abs().sum() for layer in linear_layers(model)]).sum()


def input_l1_penalty(model: nn.Module) -> Tensor:
    """``||W_1||_1`` over the connections that leave the concepts: the first linear layer's; a scalar."""
    return linear_layers(model)[0].weight.abs().sum()


def prune_fan_in(model: nn.Module, fan_in: int) -> None:
    """Node-level pruning of a model of your own, in place (Sec. 4.3).

    Each neuron of each linear layer keeps its ``fan_in`` largest absolute weights. The others are zero from
    now on. An optimizer that already holds the parameters goes on with the same ones.

    Parameters
    ----------
    model : torch.nn.Module
        Of stacked networks each member is pruned for itself.
    fan_in : int
        The paper's zeta, at least 1; neurons with fewer inputs keep them all.

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.Sigmoid(), torch.nn.Linear(3, 1))
    >>> prune_fan_in(model, 2)
    >>> [(layer.weight != 0).sum(dim=1).tolist() for layer in (model[0], model[2])]
    [[2, 2, 2], [2]]
    """
    most = _at_least_one(fan_in, "fan_in")
    for layer in linear_layers(model):
        _keep(layer, largest_weights(layer.weight.detach(), most))


def prune_inputs(model: nn.Module, *, max_concepts: int | None = None, tau: float | None = None) -> Tensor:
    """Network-level pruning of a model of your own, in place (Sec. 4.3).

    Concepts are ranked by :func:`input_relevance`; the connections of those that do not stay are zero from
    now on.

    Parameters
    ----------
    model : torch.nn.Module
    max_concepts : int, optional
        Most concepts that stay, the paper's zeta.
    tau : float, optional
        Least relevance, between 0 and 1, of a concept that stays.

    Returns
    -------
    Tensor of bool, shape (n_concepts,), of stacked networks (members, n_concepts)
        Which concepts stay. An :class:`EntropyLinear` with ``n_classes`` keeps concepts for each class, in
        (n_classes, n_concepts).

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Linear(3, 1))
    >>> with torch.no_grad():
    ...     _ = model[0].weight.copy_(torch.tensor([[2.0, -0.1, 1.5]]))
    >>> prune_inputs(model, tau=0.5)
    tensor([ True, False,  True])
    """
    if max_concepts is None and tau is None:
        raise InputError("prune_inputs needs to know what stays. Got neither; pass max_concepts or tau.")
    scores = input_relevance(model)
    most = scores.shape[-1] if max_concepts is None else _at_least_one(max_concepts, "max_concepts")
    least = 0.0 if tau is None else as_float(tau)
    if not 0.0 <= least <= 1.0:
        raise InputError(f"tau must be a number in [0, 1]. Got {shown(tau)}.")
    keep = most_relevant(scores, most, least)
    _keep(linear_layers(model)[0], keep[..., None, :])
    return keep


@torch.no_grad()
def input_relevance(model: nn.Module) -> Tensor:
    """How much each concept matters to a model of your own, the largest 1.

    That is the L2 norm of the connections that leave the concept, ``w'_j = w_j / max_i w_i``; where the first
    layer is an :class:`EntropyLinear`, its attention.

    Parameters
    ----------
    model : torch.nn.Module

    Returns
    -------
    Tensor of shape (n_concepts,), of stacked networks (members, n_concepts)
        Of each class, (n_classes, n_concepts), for an :class:`EntropyLinear` with ``n_classes``.
    """
    first = linear_layers(model)[0]
    scores = first.attention() if isinstance(first, EntropyLinear) else first.weight.norm(dim=-2)
    return relative(scores)


def affine_map(model: nn.Module, x: Tensor) -> AffineMap:
    """Example-level pruning of a model of your own: the affine map that it is at each row (Theorem 4.1).

    Parameters
    ----------
    model : torch.nn.Module
        Piecewise linear (:mod:`~logiclens.nn.piecewise_linear`), perhaps with a sigmoid or softmax at the
        end, which is left out of the map.
    x : Tensor of shape (n, n_concepts)

    Returns
    -------
    AffineMap
        Weights of shape (n_outputs, n, n_concepts), biases of shape (n_outputs, n).

    Raises
    ------
    InputError
        The model is not known to be piecewise linear.

    Examples
    --------
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 3)).double()
    >>> x = torch.tensor([[0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    >>> weight, bias = affine_map(model, x)
    >>> torch.allclose((weight * x).sum(dim=-1) + bias, model(x).T)
    True
    """
    if not isinstance(model, nn.Module):
        raise InputError(f"A model must be a torch.nn.Module. Got {shown(model)}.")
    traced = trace_model(model)
    if traced.logits is None or traced.obstacle:
        raise InputError(
            f"The model is not known to be an affine map at each row: {traced.obstacle}. "
            "Use explain_torch, which then asks the model instead."
        )
    logits = traced.logits
    with evaluation_mode(model):
        return affine_map_of(lambda rows: as_table(logits(rows)), as_input(model, x))


def linear_layers(model: nn.Module) -> list[nn.Linear]:
    """The linear layers of any model, in the order in which it lists them.

    Examples
    --------
    >>> len(linear_layers(nn.Sequential(nn.Linear(3, 2), nn.Tanh(), nn.Linear(2, 1))))
    2
    """
    if not isinstance(model, nn.Module):
        raise InputError(f"A model must be a torch.nn.Module. Got {shown(model)}.")
    found = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    if not found:
        raise InputError(f"The model {type(model).__name__} has no torch.nn.Linear layer. Use at least one.")
    return found


def psi_layers(model: nn.Module) -> list[nn.Linear]:
    """The linear layers of a psi network of your own, first to last.

    Between them stand Sigmoid or :class:`StepSigmoid`, and perhaps one of these at the end.
    """
    if not isinstance(model, nn.Sequential):
        raise InputError(f"A psi network must be a torch.nn.Sequential. Got {_name_of(model)}.")
    found: list[nn.Linear] = []
    chain = list(parts(model))
    if len(chain) > 1 and len(chain) % 2 == 0 and isinstance(chain[-1], (nn.Sigmoid, StepSigmoid)):
        chain.pop()
    for number, part in enumerate(chain):
        if number % 2 == 0 and isinstance(part, nn.Linear) and not isinstance(part, EntropyLinear):
            found.append(part)
        elif number % 2 == 0 or not isinstance(part, (nn.Sigmoid, StepSigmoid)) or number == len(chain) - 1:
            raise InputError(
                "A psi network has Linear layers with Sigmoid between them and at most a Sigmoid at the end. "
                f"Got {_name_of(part)} as part {number}; leave it out, or use explain_torch, which explains "
                "any model."
            )
    if not found:
        raise InputError("A psi network has at least one Linear layer. Got an empty Sequential.")
    return found


def parts(model: nn.Module) -> Iterator[nn.Module]:
    """The parts of a model one after the other, those of a Sequential inside a Sequential in its place."""
    if isinstance(model, nn.Sequential):
        for part in model:
            yield from parts(part)
    else:
        yield model


def _name_of(part: object) -> str:
    return f"{type(part).__name__}" if isinstance(part, nn.Module) else shown(part)


class Kept(nn.Module):
    """A parametrization of weights: those whose connection is pruned, where the mask is 0, are zero."""

    mask: Tensor

    def __init__(self, mask: Tensor) -> None:
        super().__init__()
        self.register_buffer("mask", mask)

    def forward(self, weight: Tensor) -> Tensor:
        """The weights that are left."""
        return weight * self.mask


def _keep(layer: nn.Linear, keep: Tensor) -> None:
    """Keep only the connections where ``keep`` (broadcast to the weights) is true, for good."""
    mask = keep.expand_as(layer.weight).to(layer.weight.dtype)
    for part in layer.modules():
        if isinstance(part, Kept):
            part.mask.mul_(mask)
            return
    parametrize.register_parametrization(layer, "weight", Kept(mask.clone()))


def bias_of(layer: nn.Linear) -> Tensor:
    """Biases of a layer, zeros where it has none."""
    bias: Tensor | None = layer.bias  # None without one, whatever torch declares
    return layer.weight.new_zeros(layer.out_features) if bias is None else bias


def _at_least_one(value: int, name: str) -> int:
    if check_count(value, name) < 1:
        raise InputError(f"{name} must be at least 1. Got {shown(value)}.")
    return int(value)
