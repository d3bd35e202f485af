//   kernel 0: row, free [..], reduced [C]
//     level 0:
//       r0 = max[C](x[.., C])
//     level 1:
//       e[.., C] = exp(x[.., C] - r0)
//       r1 = sum[C](e)
//     inner:
//       v3[.., C] = e / r1
//       output[.., C] = v3
//       saved0[.., C] = v3
extern "C" __global__ void softmax_forward_0(
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
        Sum<Compute> sum1_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute e = tensor::exp(x - max0);
                sum1_terms.fold(e);
            }
        }
        const Compute sum1 = row.finish(sum1_terms, 1);
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            Pack<Element> out_new;
            Pack<Compute> saved0_out_new;
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute e = tensor::exp(x - max0);
                const Compute value = e / sum1;
                out_new[i] = tensor::narrow<Element>(value);
                saved0_out_new[i] = value;
            }
            outs.store(at, out_new);
            saved0_outs.store(at, saved0_out_new);
        }
    }
}

//   kernel 0: row, free [..], reduced [C]
//     level 0:
//       r0 = sum[C](saved0[.., C] * g[.., C])
//     inner:
//       dx[.., C] = -saved0[.., C] * (r0 - g[.., C])
extern "C" __global__ void softmax_backward_0(
    const Space space,
    const Array<const Compute, 0> saved0s,
    const Array<const Compute, 1> gs,
    const Array<Element, 2> dxs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> saved0_here = saved0s.load(at);
            const Pack<Compute> g_here = gs.load(at);
            EACH(i) {
                const Compute g = g_here[i];
                const Compute saved0 = saved0_here[i];
                sum0_terms.fold(saved0 * g);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> saved0_here = saved0s.load(at);
            const Pack<Compute> g_here = gs.load(at);
            Pack<Element> dx_new;
            EACH(i) {
                const Compute g = g_here[i];
                const Compute saved0 = saved0_here[i];
                dx_new[i] = tensor::narrow<Element>(-(saved0 * (sum0 - g)));
            }
            dxs.store(at, dx_new);
        }
    }
}
