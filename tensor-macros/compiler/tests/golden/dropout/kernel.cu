//   kernel 0: pointwise, free [.., C], reduced []
//     outer:
//       output[.., C] = if uniform0(seed, at .. * size(C) + C) >= p { x[.., C] / (1.0 - p) } else { 0.0 }
extern "C" __global__ void dropout_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<Element, 1> outs,
    const Steps rest_steps,
    const Steps c_steps,
    const long long size_c,
    const double p_double,
    const unsigned long long seed,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute p = (Compute)p_double;
    const Compute constant = Compute(1.0) - p;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Element> x_here = xs.load(at);
        Pack<Element> out_new;
        EACH(i) {
            const long long rest = rest_steps.index(at, i);
            const long long c = c_steps.index(at, i);
            const bool value = tensor::uniform<Compute>(seed, 0u, (unsigned long long)tensor::add(tensor::mul(rest, size_c), c)) >= p;
            const Compute x = tensor::widen(x_here[i]);
            out_new[i] = tensor::narrow<Element>(value ? x / constant : Compute(0.0));
        }
        outs.store(at, out_new);
    }
}

//   kernel 0: pointwise, free [.., C], reduced []
//     outer:
//       dx[.., C] = if uniform0(seed, at .. * size(C) + C) >= p { g[.., C] / (1.0 - p) } else { 0.0 }
extern "C" __global__ void dropout_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<Element, 1> dxs,
    const Steps rest_steps,
    const Steps c_steps,
    const long long size_c,
    const double p_double,
    const unsigned long long seed,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute p = (Compute)p_double;
    const Compute constant = Compute(1.0) - p;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> g_here = gs.load(at);
        Pack<Element> dx_new;
        EACH(i) {
            const long long rest = rest_steps.index(at, i);
            const long long c = c_steps.index(at, i);
            const bool value = tensor::uniform<Compute>(seed, 0u, (unsigned long long)tensor::add(tensor::mul(rest, size_c), c)) >= p;
            const Compute g = g_here[i];
            dx_new[i] = tensor::narrow<Element>(value ? g / constant : Compute(0.0));
        }
        dxs.store(at, dx_new);
    }
}
