//   kernel 0: pointwise, free [..], reduced []
//     outer:
//       output[..] = 0.5 * x[..] * (1.0 + tanh(0.7978845608028654 * (x[..] + 0.044715 * x[..] * x[..] * x[..])))
extern "C" __global__ void gelu_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<Element, 1> outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Points at(space); at.more(); at.next()) {
        const Pack<Element> x_here = xs.load(at);
        Pack<Element> out_new;
        EACH(i) {
            const Compute x = tensor::widen(x_here[i]);
            const Compute value = Compute(0.7978845608028654) * (x + Compute(0.044715) * x * x * x);
            out_new[i] = tensor::narrow<Element>(Compute(0.5) * x * (Compute(1.0) + tensor::tanh(value)));
        }
        outs.store(at, out_new);
    }
}

//   kernel 0: pointwise, free [..], reduced []
//     outer:
//       v0[..] = 0.044715 * x[..]
//       v1[..] = v0 * x[..]
//       v2[..] = tanh(0.7978845608028654 * (x[..] + v1 * x[..]))
//       dx[..] = g[..] * (0.5 * (1.0 + v2) + (0.5 * x[..]) * (1.0 - v2^2) * (0.7978845608028654 + 0.7978845608028654 * v1 + x[..] * (0.7978845608028654 * v0 + 0.035677408136300125 * x[..])))
extern "C" __global__ void gelu_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const Element, 1> xs,
    const Array<Element, 2> dxs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> g_here = gs.load(at);
        const Pack<Element> x_here = xs.load(at);
        Pack<Element> dx_new;
        EACH(i) {
            const Compute x = tensor::widen(x_here[i]);
            const Compute value = Compute(0.044715) * x;
            const Compute value2 = value * x;
            const Compute value3 = tensor::tanh(Compute(0.7978845608028654) * (x + value2 * x));
            const Compute g = g_here[i];
            const Compute value4 = Compute(0.7978845608028654) + Compute(0.7978845608028654) * value2 + x * (Compute(0.7978845608028654) * value + Compute(0.035677408136300125) * x);
            const Compute value5 = Compute(0.5) * x * (Compute(1.0) - value3 * value3) * value4;
            dx_new[i] = tensor::narrow<Element>(g * (Compute(0.5) * (Compute(1.0) + value3) + value5));
        }
        dxs.store(at, dx_new);
    }
}
