//   kernel 0: column, free [C], reduced [N, H, W]
//     level 0:
//       r0 = sum[N, H, W](x[N, C, H, W])
//       r1 = squared_deviation[N, H, W](x[N, C, H, W])
//     outer:
//       saved0[C] = r0
//       saved1[C] = r1
extern "C" __global__ void batch_norm_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<Compute, 1> saved0_outs,
    const Array<Compute, 2> saved1_outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        SquaredDeviation<Compute> squareddeviation1_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                sum0_terms.fold(x);
                squareddeviation1_terms.fold(x);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        const Compute squareddeviation1 = row.finish(squareddeviation1_terms, 1);
        if (row.leads()) {
            saved0_outs.set(row, sum0);
            saved1_outs.set(row, squareddeviation1);
        }
    }
}

//   kernel 1: pointwise, free [N, C, H, W], reduced []
//     outer:
//       v0[] = float(size(N) * size(H) * size(W))
//       output[N, C, H, W] = (x[N, C, H, W] - saved0[C] / v0) * rsqrt(saved1[C] / v0 + eps) * gamma[C] + beta[C]
extern "C" __global__ void batch_norm_forward_1(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Compute, 1> saved0s,
    const Array<const Compute, 2> saved1s,
    const Array<const Element, 3> gammas,
    const Array<const Element, 4> betas,
    const Array<Element, 5> outs,
    const long long size_n,
    const long long size_h,
    const long long size_w,
    const double eps_double,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)tensor::mul(tensor::mul(size_n, size_h), size_w);
    const Compute eps = (Compute)eps_double;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Element> x_here = xs.load(at);
        const Pack<Compute> saved0_here = saved0s.load(at);
        const Pack<Compute> saved1_here = saved1s.load(at);
        const Pack<Element> gamma_here = gammas.load(at);
        const Pack<Element> beta_here = betas.load(at);
        Pack<Element> out_new;
        EACH(i) {
            const Compute x = tensor::widen(x_here[i]);
            const Compute gamma = tensor::widen(gamma_here[i]);
            const Compute beta = tensor::widen(beta_here[i]);
            const Compute saved1 = saved1_here[i];
            const Compute saved0 = saved0_here[i];
            const Compute value = (x - saved0 / constant) * tensor::rsqrt(saved1 / constant + eps);
            out_new[i] = tensor::narrow<Element>(value * gamma + beta);
        }
        outs.store(at, out_new);
    }
}

//   kernel 0: column, free [C], reduced [N, H, W]
//     level 0:
//       r0 = sum[N, H, W](g[N, C, H, W])
//       v1[] = float(size(N) * size(H) * size(W))
//       r1 = sum[N, H, W]((x[N, C, H, W] - saved0[C] / v1) * g[N, C, H, W])
//     outer:
//       dgamma[C] = rsqrt(saved1[C] / v1 + eps) * r1
//       dbeta[C] = r0
//       temp0[C] = r0
//       temp1[C] = r1
extern "C" __global__ void batch_norm_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const Element, 1> xs,
    const Array<const Compute, 2> saved0s,
    const Array<const Compute, 3> saved1s,
    const Array<Element, 4> dgammas,
    const Array<Element, 5> dbetas,
    const Array<Compute, 6> temp0_outs,
    const Array<Compute, 7> temp1_outs,
    const long long size_n,
    const long long size_h,
    const long long size_w,
    const double eps_double,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)tensor::mul(tensor::mul(size_n, size_h), size_w);
    const Compute eps = (Compute)eps_double;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        Sum<Compute> sum1_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Element> x_here = xs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute g = g_here[i];
                const Compute saved0 = saved0_here[i];
                sum0_terms.fold(g);
                sum1_terms.fold((x - saved0 / constant) * g);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        const Compute sum1 = row.finish(sum1_terms, 1);
        if (row.leads()) {
            const Compute saved1 = saved1s.get(row);
            dgammas.set(row, tensor::narrow<Element>(tensor::rsqrt(saved1 / constant + eps) * sum1));
            dbetas.set(row, tensor::narrow<Element>(sum0));
            temp0_outs.set(row, sum0);
            temp1_outs.set(row, sum1);
        }
    }
}

//   kernel 1: pointwise, free [N, C, H, W], reduced []
//     outer:
//       v0[] = float(size(N) * size(H) * size(W))
//       v1[C] = rsqrt(saved1[C] / v0 + eps)
//       dx[N, C, H, W] = -v1 * gamma[C] * (-g[N, C, H, W] + (temp0[C] + v1^2 * temp1[C] * (x[N, C, H, W] - saved0[C] / v0)) / v0)
extern "C" __global__ void batch_norm_backward_1(
    const Space space,
    const Array<const Compute, 0> saved1s,
    const Array<const Element, 1> gammas,
    const Array<const Compute, 2> gs,
    const Array<const Compute, 3> temp0s,
    const Array<const Compute, 4> temp1s,
    const Array<const Element, 5> xs,
    const Array<const Compute, 6> saved0s,
    const Array<Element, 7> dxs,
    const long long size_n,
    const long long size_h,
    const long long size_w,
    const double eps_double,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)tensor::mul(tensor::mul(size_n, size_h), size_w);
    const Compute eps = (Compute)eps_double;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> saved1_here = saved1s.load(at);
        const Pack<Element> gamma_here = gammas.load(at);
        const Pack<Compute> g_here = gs.load(at);
        const Pack<Compute> temp0_here = temp0s.load(at);
        const Pack<Compute> temp1_here = temp1s.load(at);
        const Pack<Element> x_here = xs.load(at);
        const Pack<Compute> saved0_here = saved0s.load(at);
        Pack<Element> dx_new;
        EACH(i) {
            const Compute x = tensor::widen(x_here[i]);
            const Compute gamma = tensor::widen(gamma_here[i]);
            const Compute g = g_here[i];
            const Compute saved1 = saved1_here[i];
            const Compute value = tensor::rsqrt(saved1 / constant + eps);
            const Compute saved0 = saved0_here[i];
            const Compute temp0 = temp0_here[i];
            const Compute temp1 = temp1_here[i];
            const Compute value2 = value * value * temp1 * (x - saved0 / constant);
            const Compute value3 = value * gamma * (-g + (temp0 + value2) / constant);
            dx_new[i] = tensor::narrow<Element>(-value3);
        }
        dxs.store(at, dx_new);
    }
}
