//   kernel 0: tiled, free [N, M], reduced [D]
//     level 0:
//       d[N, D, M] = x[N, D] - y[M, D]
//       r0 = sum[D](d * d)
//     outer:
//       output[N, M] = r0
extern "C" __global__ void pairwise_sq_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Element, 1> ys,
    const Array<Element, 2> outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Element> y_here = ys.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute y = tensor::widen(y_here[i]);
                const Compute d = x - y;
                sum0_terms.fold(d * d);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            outs.set(row, tensor::narrow<Element>(sum0));
        }
    }
}

//   kernel 0: tiled, free [N, D], reduced [M]
//     level 0:
//       r0 = sum[M](g[N, M] * (x[N, D] - y[M, D]))
//     outer:
//       dx[N, D] = 2.0 * r0
extern "C" __global__ void pairwise_sq_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const Element, 1> xs,
    const Array<const Element, 2> ys,
    const Array<Element, 3> dxs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Element> x_here = xs.load(at);
            const Pack<Element> y_here = ys.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute y = tensor::widen(y_here[i]);
                const Compute d = x - y;
                const Compute g = g_here[i];
                sum0_terms.fold(g * d);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dxs.set(row, tensor::narrow<Element>(Compute(2.0) * sum0));
        }
    }
}

//   kernel 1: tiled, free [M, D], reduced [N]
//     level 0:
//       r0 = sum[N](g[N, M] * (x[N, D] - y[M, D]))
//     outer:
//       dy[M, D] = -2.0 * r0
extern "C" __global__ void pairwise_sq_backward_1(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const Element, 1> xs,
    const Array<const Element, 2> ys,
    const Array<Element, 3> dys,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Element> x_here = xs.load(at);
            const Pack<Element> y_here = ys.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute y = tensor::widen(y_here[i]);
                const Compute d = x - y;
                const Compute g = g_here[i];
                sum0_terms.fold(g * d);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dys.set(row, tensor::narrow<Element>(Compute(-2.0) * sum0));
        }
    }
}
