//   kernel 0: strided row, free [N, C, P], reduced [W]
//     level 0:
//       r0 = max[W](x[N, C, P * stride + W])
//     outer:
//       output[N, C, P] = r0
//       saved0[N, C, P] = r0
extern "C" __global__ void max_pool1d_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<Element, 1> outs,
    const Array<Compute, 2> saved0_outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Max<Compute> max0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                max0_terms.fold(x);
            }
        }
        const Compute max0 = row.finish(max0_terms, 0);
        if (row.leads()) {
            outs.set(row, tensor::narrow<Element>(max0));
            saved0_outs.set(row, max0);
        }
    }
}

//   kernel 0: strided row, free [N, C, P], reduced [W]
//     level 0:
//       r0 = sum[W](if x[N, C, P * stride + W] == saved0[N, C, P] { 1.0 } else { 0.0 })
//     outer:
//       temp0[N, C, P] = r0
extern "C" __global__ void max_pool1d_backward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Compute, 1> saved0s,
    const Array<Compute, 2> temp0_outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute saved0 = saved0_here[i];
                sum0_terms.fold(x == saved0 ? Compute(1.0) : Compute(0.0));
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            temp0_outs.set(row, sum0);
        }
    }
}

//   kernel 1: strided row, free [N, C, L], reduced [W]
//     level 0:
//       v0[L, W] = L - W
//       v1[L, W] = v0 / stride
//       v2[L, W] = v1 * stride == v0 && v1 >= 0 && v1 < size(P)
//       r0 = sum[W](if v2 && x[N, C, L] == saved0[N, C, v1].if(v2) { g[N, C, v1].if(v2) / max(temp0[N, C, v1].if(v2), 1.0) } else { 0.0 })
//     outer:
//       dx[N, C, L] = r0
extern "C" __global__ void max_pool1d_backward_1(
    const Space space,
    const Array<const Element, 0> xs,
    const Clipped<Compute, 1> saved0s,
    const Clipped<Compute, 1> gs,
    const Clipped<Compute, 1> temp0s,
    const Array<Element, 4> dxs,
    const Steps l_steps,
    const Steps w_steps,
    const long long size_p,
    const long long stride,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    Found found;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Compute> temp0_here = temp0s.load(at);
            EACH(i) {
                const long long w = w_steps.index(at, i);
                const long long l = l_steps.index(at, i);
                const Compute x = tensor::widen(x_here[i]);
                const long long value = tensor::sub(l, w);
                const long long value2 = found.divide(at, i, value, stride);
                const bool value3 = tensor::mul(value2, stride) == value && value2 >= 0ll && value2 < size_p;
                const Compute saved0 = saved0_here[i];
                const Compute g = g_here[i];
                const Compute temp0 = temp0_here[i];
                const Compute value4 = value3 && x == saved0 ? g / tensor::max(temp0, Compute(1.0)) : Compute(0.0);
                sum0_terms.fold(value4);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dxs.set(row, tensor::narrow<Element>(sum0));
        }
    }
    found.report(record, launch);
}
