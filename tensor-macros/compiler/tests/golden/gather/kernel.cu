//   kernel 0: pointwise, free [N, K], reduced []
//     outer:
//       output[N, K] = x[N, i[N, K]]
extern "C" __global__ void gather_forward_0(
    const Space space,
    const Gather<Element, 0, 1> xs,
    const Array<const long long, 1> is,
    const Array<Element, 2> outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    Found found;
    for (Points at(space); at.more(); at.next()) {
        const Pack<long long> i_here = is.load(at);
        Pack<Element> out_new;
        EACH(i) {
            const long long i2 = i_here[i];
            const Compute x = tensor::widen(xs.get(at, i, found, i2));
            out_new[i] = tensor::narrow<Element>(x);
        }
        outs.store(at, out_new);
    }
    found.report(record, launch);
}

//   kernel 0: scatter, free [N, K], reduced []
//     outer:
//       for [N, K]: dx[N, i[N, K]] sum= g[N, K]
extern "C" __global__ void gather_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const long long, 1> is,
    const Scatter<Wide<Element>, 0, 1> dxs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    Found found;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> g_here = gs.load(at);
        const Pack<long long> i_here = is.load(at);
        EACH(i) {
            const long long i2 = i_here[i];
            const Compute g = g_here[i];
            dxs.add(at, i, found, g, i2);
        }
    }
    found.report(record, launch);
}
