//   kernel 0: pointwise, free [N], reduced []
//     outer:
//       v0[N] = N - 1
//       v1[N] = v0 >= 0 && v0 < size(N)
//       output[N] = if v1 { x[v0].if(v1) } else { 0.0 }
extern "C" __global__ void shift_forward_0(
    const Space space,
    const Clipped<Element, 1> xs,
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
            out_new[i] = tensor::narrow<Element>(x);
        }
        outs.store(at, out_new);
    }
}

//   kernel 0: pointwise, free [N], reduced []
//     outer:
//       v0[N] = N + 1
//       v1[N] = v0 >= 0 && v0 < size(N)
//       dx[N] = if v1 { g[v0].if(v1) } else { 0.0 }
extern "C" __global__ void shift_backward_0(
    const Space space,
    const Clipped<Compute, 1> gs,
    const Array<Element, 1> dxs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> g_here = gs.load(at);
        Pack<Element> dx_new;
        EACH(i) {
            const Compute g = g_here[i];
            dx_new[i] = tensor::narrow<Element>(g);
        }
        dxs.store(at, dx_new);
    }
}
