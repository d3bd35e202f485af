//   kernel 0: row, free [..], reduced [C]
//     level 0:
//       h[.., C] = x[.., C] + r[.., C]
//       r0 = sum[C](h * h)
//       output0[.., C] = h
//       saved1[.., C] = h
//     inner:
//       output1[.., C] = h * rsqrt(r0 / float(size(C)) + eps) * gamma[C]
//     outer:
//       saved0[..] = r0
extern "C" __global__ void two_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Element, 1> rs,
    const Array<const Element, 2> gammas,
    const Array<Element, 3> out0s,
    const Array<Compute, 4> h_outs,
    const Array<Element, 5> out1s,
    const Array<Compute, 6> saved0_outs,
    const long long size_c,
    const double eps_double,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)size_c;
    const Compute eps = (Compute)eps_double;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Element> r_here = rs.load(at);
            Pack<Element> out0_new;
            Pack<Compute> h_out_new;
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute r = tensor::widen(r_here[i]);
                const Compute h = x + r;
                sum0_terms.fold(h * h);
                out0_new[i] = tensor::narrow<Element>(h);
                h_out_new[i] = h;
            }
            out0s.store(at, out0_new);
            h_outs.store(at, h_out_new);
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Element> r_here = rs.load(at);
            const Pack<Element> gamma_here = gammas.load(at);
            Pack<Element> out1_new;
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute r = tensor::widen(r_here[i]);
                const Compute h = x + r;
                const Compute gamma = tensor::widen(gamma_here[i]);
                const Compute value = h * tensor::rsqrt(sum0 / constant + eps) * gamma;
                out1_new[i] = tensor::narrow<Element>(value);
            }
            out1s.store(at, out1_new);
        }
        if (row.leads()) {
            saved0_outs.set(row, sum0);
        }
    }
}

//   kernel 0: row, free [..], reduced [C]
//     level 0:
//       r0 = sum[C](gamma[C] * saved1[.., C] * g1[.., C])
//     inner:
//       v1[..] = rsqrt(saved0[..] / float(size(C)) + eps)
//       v2[.., C] = g0[.., C] + v1 * (gamma[C] * g1[.., C] - v1^2 * r0 * saved1[.., C] / float(size(C)))
//       dx[.., C] = v2
//       dr[.., C] = v2
extern "C" __global__ void two_backward_0(
    const Space space,
    const Array<const Element, 0> gammas,
    const Array<const Compute, 1> hs,
    const Array<const Compute, 2> g1s,
    const Array<const Compute, 3> g0s,
    const Array<const Compute, 4> saved0s,
    const Array<Element, 5> dxs,
    const Array<Element, 6> drs,
    const long long size_c,
    const double eps_double,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)size_c;
    const Compute eps = (Compute)eps_double;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> gamma_here = gammas.load(at);
            const Pack<Compute> h_here = hs.load(at);
            const Pack<Compute> g1_here = g1s.load(at);
            EACH(i) {
                const Compute gamma = tensor::widen(gamma_here[i]);
                const Compute g1 = g1_here[i];
                const Compute h = h_here[i];
                sum0_terms.fold(gamma * h * g1);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> gamma_here = gammas.load(at);
            const Pack<Compute> h_here = hs.load(at);
            const Pack<Compute> g1_here = g1s.load(at);
            const Pack<Compute> g0_here = g0s.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            Pack<Element> dx_new;
            Pack<Element> dr_new;
            EACH(i) {
                const Compute gamma = tensor::widen(gamma_here[i]);
                const Compute g0 = g0_here[i];
                const Compute g1 = g1_here[i];
                const Compute saved0 = saved0_here[i];
                const Compute value = tensor::rsqrt(saved0 / constant + eps);
                const Compute h = h_here[i];
                const Compute value2 = gamma * g1 - value * value * sum0 * h / constant;
                const Compute value3 = g0 + value * value2;
                dx_new[i] = tensor::narrow<Element>(value3);
                dr_new[i] = tensor::narrow<Element>(value3);
            }
            dxs.store(at, dx_new);
            drs.store(at, dr_new);
        }
    }
}

//   kernel 1: column, free [C], reduced [..]
//     level 0:
//       r0 = sum[..]((saved1[.., C] * rsqrt(saved0[..] / float(size(C)) + eps)) * g1[.., C])
//     outer:
//       dgamma[C] = r0
extern "C" __global__ void two_backward_1(
    const Space space,
    const Array<const Compute, 0> hs,
    const Array<const Compute, 1> saved0s,
    const Array<const Compute, 2> g1s,
    const Array<Element, 3> dgammas,
    const long long size_c,
    const double eps_double,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)size_c;
    const Compute eps = (Compute)eps_double;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> h_here = hs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            const Pack<Compute> g1_here = g1s.load(at);
            EACH(i) {
                const Compute g1 = g1_here[i];
                const Compute saved0 = saved0_here[i];
                const Compute h = h_here[i];
                const Compute value = h * tensor::rsqrt(saved0 / constant + eps) * g1;
                sum0_terms.fold(value);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dgammas.set(row, tensor::narrow<Element>(sum0));
        }
    }
}
