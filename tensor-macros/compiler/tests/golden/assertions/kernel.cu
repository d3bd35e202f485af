//   kernel 0: row, free [..], reduced [C]
//     level 0:
//       r0 = sum[C](x[.., C] * x[.., C])
//       assert "x is positive"[.., C] = x[.., C] > 0.0
//     outer:
//       s[..] = r0 / float(size(C))
//       v2[..] = sqrt(s)
//       output[..] = v2
//       saved0[..] = v2
//       assert "the rows are small"[..] = s < 1000000.0
extern "C" __global__ void positive_rms_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<Element, 1> outs,
    const Array<Compute, 2> saved0_outs,
    const long long size_c,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)size_c;
    Found found;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                sum0_terms.fold(x * x);
                found.assert_that(at, i, 0, x > Compute(0.0));
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            const Compute s = sum0 / constant;
            const Compute value = tensor::sqrt(s);
            outs.set(row, tensor::narrow<Element>(value));
            saved0_outs.set(row, value);
            found.assert_that(row, 0, 1, s < Compute(1000000.0));
        }
    }
    found.report(record, launch);
}

//   kernel 0: pointwise, free [.., C], reduced []
//     outer:
//       dx[.., C] = g[..] * x[.., C] / float(size(C)) / saved0[..]
extern "C" __global__ void positive_rms_backward_0(
    const Space space,
    const Array<const Compute, 0> saved0s,
    const Array<const Compute, 1> gs,
    const Array<const Element, 2> xs,
    const Array<Element, 3> dxs,
    const long long size_c,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)size_c;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> saved0_here = saved0s.load(at);
        const Pack<Compute> g_here = gs.load(at);
        const Pack<Element> x_here = xs.load(at);
        Pack<Element> dx_new;
        EACH(i) {
            const Compute x = tensor::widen(x_here[i]);
            const Compute g = g_here[i];
            const Compute saved0 = saved0_here[i];
            dx_new[i] = tensor::narrow<Element>(g * x / (constant * saved0));
        }
        dxs.store(at, dx_new);
    }
}
