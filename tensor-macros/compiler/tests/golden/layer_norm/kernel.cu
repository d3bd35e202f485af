//   kernel 0: row, free [..], reduced [C]
//     level 0:
//       r0 = sum[C](x[.., C])
//     level 1:
//       d[.., C] = x[.., C] - r0 / float(size(C))
//       r1 = sum[C](d * d)
//     inner:
//       output[.., C] = d * rsqrt(r1 / float(size(C)) + eps) * gamma[C] + beta[C]
//     outer:
//       saved0[..] = r0
//       saved1[..] = r1
extern "C" __global__ void layer_norm_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Element, 1> gammas,
    const Array<const Element, 2> betas,
    const Array<Element, 3> outs,
    const Array<Compute, 4> saved0_outs,
    const Array<Compute, 5> saved1_outs,
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
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                sum0_terms.fold(x);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        Sum<Compute> sum1_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute d = x - sum0 / constant;
                sum1_terms.fold(d * d);
            }
        }
        const Compute sum1 = row.finish(sum1_terms, 1);
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Element> gamma_here = gammas.load(at);
            const Pack<Element> beta_here = betas.load(at);
            Pack<Element> out_new;
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute d = x - sum0 / constant;
                const Compute gamma = tensor::widen(gamma_here[i]);
                const Compute value = d * tensor::rsqrt(sum1 / constant + eps) * gamma;
                const Compute beta = tensor::widen(beta_here[i]);
                out_new[i] = tensor::narrow<Element>(value + beta);
            }
            outs.store(at, out_new);
        }
        if (row.leads()) {
            saved0_outs.set(row, sum0);
            saved1_outs.set(row, sum1);
        }
    }
}

//   kernel 0: column, free [C], reduced [..]
//     level 0:
//       r0 = sum[..](g[.., C])
//       r1 = sum[..](((x[.., C] - saved0[..] / float(size(C))) * rsqrt(saved1[..] / float(size(C)) + eps)) * g[.., C])
//     outer:
//       dgamma[C] = r1
//       dbeta[C] = r0
extern "C" __global__ void layer_norm_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const Element, 1> xs,
    const Array<const Compute, 2> saved0s,
    const Array<const Compute, 3> saved1s,
    const Array<Element, 4> dgammas,
    const Array<Element, 5> dbetas,
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
        Sum<Compute> sum1_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Element> x_here = xs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            const Pack<Compute> saved1_here = saved1s.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute g = g_here[i];
                const Compute saved1 = saved1_here[i];
                const Compute saved0 = saved0_here[i];
                const Compute value = (x - saved0 / constant) * tensor::rsqrt(saved1 / constant + eps);
                sum0_terms.fold(g);
                sum1_terms.fold(value * g);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        const Compute sum1 = row.finish(sum1_terms, 1);
        if (row.leads()) {
            dgammas.set(row, tensor::narrow<Element>(sum1));
            dbetas.set(row, tensor::narrow<Element>(sum0));
        }
    }
}

//   kernel 1: row, free [..], reduced [C]
//     level 0:
//       v0[.., C] = gamma[C] * g[.., C]
//       r0 = sum[C](v0)
//       v2[.., C] = x[.., C] - saved0[..] / float(size(C))
//       r1 = sum[C](gamma[C] * v2 * g[.., C])
//     inner:
//       v4[..] = rsqrt(saved1[..] / float(size(C)) + eps)
//       dx[.., C] = -v4 * (-v0 + (r0 + v4^2 * r1 * v2) / float(size(C)))
extern "C" __global__ void layer_norm_backward_1(
    const Space space,
    const Array<const Element, 0> gammas,
    const Array<const Compute, 1> gs,
    const Array<const Element, 2> xs,
    const Array<const Compute, 3> saved0s,
    const Array<const Compute, 4> saved1s,
    const Array<Element, 5> dxs,
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
        Sum<Compute> sum1_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> gamma_here = gammas.load(at);
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Element> x_here = xs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute gamma = tensor::widen(gamma_here[i]);
                const Compute g = g_here[i];
                const Compute saved0 = saved0_here[i];
                sum0_terms.fold(gamma * g);
                sum1_terms.fold(gamma * (x - saved0 / constant) * g);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        const Compute sum1 = row.finish(sum1_terms, 1);
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> gamma_here = gammas.load(at);
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Element> x_here = xs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            const Pack<Compute> saved1_here = saved1s.load(at);
            Pack<Element> dx_new;
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute gamma = tensor::widen(gamma_here[i]);
                const Compute g = g_here[i];
                const Compute saved1 = saved1_here[i];
                const Compute value = tensor::rsqrt(saved1 / constant + eps);
                const Compute saved0 = saved0_here[i];
                const Compute value2 = value * value * sum1 * (x - saved0 / constant);
                const Compute value3 = -(gamma * g) + (sum0 + value2) / constant;
                dx_new[i] = tensor::narrow<Element>(-(value * value3));
            }
            dxs.store(at, dx_new);
        }
    }
}
