"""Rows for the kernels of the library that `make_reference.py` does not have, in the same form: writes library.json.

    python make_library.py [--check]
"""

import math

import torch
import torch.nn.functional as F

import make_reference
from make_reference import Array, case, optimizer, values

make_reference.CASES.clear()


def mask(axes, data):
    return values(axes, data, torch.bool)


# ---------------------------------------------------------------------------------------------------------------------
# Convolution and pooling

def sequence(r):
    return {"x": r.uniform("N C L", (2, 3, 9)), "k": r.uniform("O C W", (2, 3, 3)), "b": r.uniform("O", (2,))}


case("conv1d", "a convolution whose kernel elements lie `dilation` apart", sequence,
     lambda x, k, b, stride, padding, dilation: F.conv1d(x, k, b, stride, padding, dilation), {"y": "N O P"},
     variant="dilation", scalars={"stride": 2, "padding": 3, "dilation": 2})
case("conv1d", "a kernel that reads padding alone at the ends", lambda r: {
     "x": r.uniform("N C L", (1, 2, 4)), "k": r.uniform("O C W", (3, 2, 2)), "b": r.uniform("O", (3,))},
     lambda x, k, b, stride, padding, dilation: F.conv1d(x, k, b, stride, padding, dilation), {"y": "N O P"},
     variant="more padding than kernel", scalars={"stride": 1, "padding": 4, "dilation": 1})


def image(r):
    return {"x": r.uniform("N C H W", (1, 2, 7, 6)), "k": r.uniform("O C R S", (3, 2, 2, 3)), "b": r.uniform("O", (3,))}


case("conv2d_dilated", "a convolution whose kernel elements lie `dilation` apart along both axes", image,
     lambda x, k, b, stride, padding, dilation: F.conv2d(x, k, b, stride, padding, dilation), {"y": "N O P Q"},
     scalars={"stride": 1, "padding": 2, "dilation": 2})
case("conv2d_dilated", "stride and dilation together", image,
     lambda x, k, b, stride, padding, dilation: F.conv2d(x, k, b, stride, padding, dilation), {"y": "N O P Q"},
     variant="strided", scalars={"stride": 3, "padding": 1, "dilation": 2})


def grouped(x, k, b, stride, padding, dilation):
    images, groups, channels = x.shape[:3]
    y = F.conv2d(x.flatten(1, 2), k.flatten(0, 1), b.flatten(), stride, padding, dilation, groups)
    return y.unflatten(1, (groups, k.shape[1]))


case("grouped_conv2d", "each group of channels convolved with kernels of its own", lambda r: {
     "x": r.uniform("N G C H W", (1, 2, 2, 5, 4)), "k": r.uniform("G O C R S", (2, 3, 2, 2, 2)), "b": r.uniform("G O", (2, 3))},
     grouped, {"y": "N G O P Q"}, scalars={"stride": 2, "padding": 1, "dilation": 1})
case("depthwise_conv2d_dilated", "each channel convolved with a kernel of its own, dilated", lambda r: {
     "x": r.uniform("N C H W", (1, 3, 6, 5)), "k": r.uniform("C R S", (3, 2, 2))},
     lambda x, k, stride, padding, dilation: F.conv2d(x, k[:, None], None, stride, padding, dilation, x.shape[1]),
     {"y": "N C P Q"}, scalars={"stride": 1, "padding": 1, "dilation": 3})

for padding in (0, 1):
    scalars = {"window": 3, "stride": 2, "padding": padding}
    case("max_pool1d", "largest element of each window; all elements differ", lambda r: {"x": r.distinct("N C L", (2, 3, 8))},
         lambda x, window, stride, padding: F.max_pool1d(x, window, stride, padding), {"y": "N C P"},
         variant="padded" if padding else "plain", scalars=scalars)
    case("avg_pool1d", "mean of each window, padding counted as zeros", lambda r: {"x": r.uniform("N C L", (2, 3, 8))},
         lambda x, window, stride, padding: F.avg_pool1d(x, window, stride, padding), {"y": "N C P"},
         variant="padded" if padding else "plain", scalars=scalars)

# ---------------------------------------------------------------------------------------------------------------------
# Attention under a mask


def masked_attention(q, k, v, mask):
    score = (q @ k.mT / math.sqrt(q.shape[-1])).masked_fill(~mask, -math.inf)
    seen = mask.any(-1, keepdim=True)
    return torch.where(seen, torch.where(seen, score, 0.0).softmax(-1), 0.0) @ v


def heads(r):
    return {"q": r.uniform("B T K", (2, 3, 4)), "k": r.uniform("B S K", (2, 5, 4)), "v": r.uniform("B S V", (2, 5, 2))}


def some(r):
    return mask("B T S", [[[1, 0, 1, 0, 1], [0, 0, 0, 1, 0], [1, 1, 1, 1, 1]], [[1, 1, 0, 0, 0], [0, 1, 1, 1, 0], [1, 0, 0, 0, 1]]])


case("masked_attention", "softmax over the keys that the mask shows, times v", lambda r: {**heads(r), "mask": some(r)},
     masked_attention, {"y": "B T V"})
case("masked_attention", "the same with rows that see nothing: zeros and zero gradients",
     lambda r: {**heads(r), "mask": mask("B T S", [[[0] * 5, [0, 0, 0, 1, 0], [0] * 5], [[1, 1, 0, 0, 0], [0] * 5, [1] * 5]])},
     masked_attention, {"y": "B T V"}, variant="fully masked rows",
     note="a row without a key is zeros here, NaN in scaled_dot_product_attention")

# ---------------------------------------------------------------------------------------------------------------------
# Elementwise and by index

case("masked_fill", "value where the mask is true, else x", lambda r: {
     "x": r.uniform("N C", (3, 4)), "mask": mask("N C", [[1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 1]])},
     lambda x, mask, value: x.masked_fill(mask, value), {"y": "N C"}, scalars={"value": -3.5})
case("power", "x to the power z", lambda r: {"x": r.uniform("N C", (3, 4), 0.125, 3.0), "z": r.uniform("N C", (3, 4))},
     lambda x, z: x ** z, {"y": "N C"})
case("power", "x to the power z at base 0, and negative bases with whole powers",
     lambda r: {"x": values("N", [0.0, 0.0, 0.0, -2.0, -1.5, 2.0]), "z": values("N", [0.0, 1.0, 2.5, 3.0, 2.0, 0.0])},
     lambda x, z: x ** z.detach(), {"y": "N"}, variant="awkward bases", frozen=["z"],
     note="the derivative by z is left out: it is NaN for negative bases")
case("segment_sum", "sums of the rows of each segment", lambda r: {
     "x": r.uniform("N C", (6, 3)), "ids": values("N", [2, 0, 2, 3, 0, 2], torch.int64)},
     lambda x, ids, segments: torch.zeros(segments, x.shape[1], dtype=x.dtype).index_add(0, ids, x), {"y": "S C"},
     scalars={"segments": 5})

# ---------------------------------------------------------------------------------------------------------------------
# Optimizers and clipping

optimizer("sgd", "p becomes p - lr (g + decay p)",
          lambda p, lr, weight_decay=0.0: torch.optim.SGD(p, lr, weight_decay=weight_decay),
          {"plain": {"lr": 0.1}, "weight decay": {"lr": 0.1, "weight_decay": 0.01}})


def clipped(gradient, limit):
    parameter = torch.zeros_like(gradient, requires_grad=True)
    parameter.grad = gradient.clone()
    norm = torch.nn.utils.clip_grad_norm_([parameter], limit)
    return {"clipped": parameter.grad, "norm": norm}


for variant, limit in {"long": 1.5, "short": 100.0}.items():
    case("clip_by_norm", "the gradient scaled to a norm of at most limit, and the norm before",
         lambda r: {"gradient": r.uniform("N C", (3, 4))}, clipped, {"clipped": "N C", "norm": ""}, variant=variant,
         scalars={"limit": limit}, frozen=["gradient"])

if __name__ == "__main__":
    make_reference.write("library.json", "make_library.py")
