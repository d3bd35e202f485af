//   kernel 0: contraction, free [B, T, S], reduced [K]
//     lhs q[B, T, K], rhs k[B, S, K], batch [B], m [T], n [S]
//     level 0:
//       r0 = sum[K](q[B, T, K] * k[B, S, K])
//     outer:
//       output[B, T, S] = if S <= T { r0 / sqrt(float(size(K))) } else { -inf }
extern "C" __global__ void causal_scores_forward_0(
    const Space space,
    const Array<const Element, 0> qs,
    const Array<const Element, 1> ks,
    const Array<Element, 2> outs,
    const Steps t_steps,
    const Steps s_steps,
    const long long size_k,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = tensor::sqrt((Compute)size_k);
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(qs, ks);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                const long long s = s_steps.index(row, 0);
                const long long t = t_steps.index(row, 0);
                outs.set(row, tensor::narrow<Element>(s <= t ? sum0 / constant : Compute(-INFINITE)));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> q_here = qs.load(at);
            const Pack<Element> k_here = ks.load(at);
            EACH(i) {
                const Compute q = tensor::widen(q_here[i]);
                const Compute k = tensor::widen(k_here[i]);
                sum0_terms.fold(q * k);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            const long long s = s_steps.index(row, 0);
            const long long t = t_steps.index(row, 0);
            outs.set(row, tensor::narrow<Element>(s <= t ? sum0 / constant : Compute(-INFINITE)));
        }
    }
#endif
}

//   kernel 0: pointwise, free [B, T, S], reduced []
//     outer:
//       temp0[B, T, S] = if S <= T { g[B, T, S] } else { 0.0 }
extern "C" __global__ void causal_scores_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<Compute, 1> temp0_outs,
    const Steps t_steps,
    const Steps s_steps,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> g_here = gs.load(at);
        Pack<Compute> temp0_out_new;
        EACH(i) {
            const long long s = s_steps.index(at, i);
            const long long t = t_steps.index(at, i);
            const Compute g = g_here[i];
            temp0_out_new[i] = s <= t ? g : Compute(0.0);
        }
        temp0_outs.store(at, temp0_out_new);
    }
}

//   kernel 1: contraction, free [B, T, K], reduced [S]
//     lhs temp0[B, T, S], rhs k[B, S, K], batch [B], m [T], n [K]
//     level 0:
//       r0 = sum[S](if S <= T { k[B, S, K] * temp0[B, T, S] } else { 0.0 })
//     outer:
//       dq[B, T, K] = r0 / sqrt(float(size(K)))
extern "C" __global__ void causal_scores_backward_1(
    const Space space,
    const Array<const Element, 0> ks,
    const Array<const Compute, 1> temp0s,
    const Array<Element, 2> dqs,
    const Steps t_steps,
    const Steps s_steps,
    const long long size_k,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = tensor::sqrt((Compute)size_k);
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(temp0s, ks);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            Compute sum0 = row.finish(0);
            if (tensor::is_nan(sum0)) {
                Sum<Compute> sum0_terms;
                for (Elements at(row); at.more(); at.next()) {
                    const Pack<Element> k_here = ks.load(at);
                    const Pack<Compute> temp0_here = temp0s.load(at);
                    EACH(i) {
                        const long long s = s_steps.index(at, i);
                        const long long t = t_steps.index(at, i);
                        const Compute k = tensor::widen(k_here[i]);
                        const Compute temp0 = temp0_here[i];
                        sum0_terms.fold(s <= t ? k * temp0 : Compute(0.0));
                    }
                }
                sum0 = sum0_terms.result();
            }
            if (row.leads()) {
                dqs.set(row, tensor::narrow<Element>(sum0 / constant));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> k_here = ks.load(at);
            const Pack<Compute> temp0_here = temp0s.load(at);
            EACH(i) {
                const long long s = s_steps.index(at, i);
                const long long t = t_steps.index(at, i);
                const Compute k = tensor::widen(k_here[i]);
                const Compute temp0 = temp0_here[i];
                sum0_terms.fold(s <= t ? k * temp0 : Compute(0.0));
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dqs.set(row, tensor::narrow<Element>(sum0 / constant));
        }
    }
#endif
}

//   kernel 2: contraction, free [B, S, K], reduced [T]
//     lhs temp0[B, T, S], rhs q[B, T, K], batch [B], m [S], n [K]
//     level 0:
//       r0 = sum[T](if S <= T { q[B, T, K] * temp0[B, T, S] } else { 0.0 })
//     outer:
//       dk[B, S, K] = r0 / sqrt(float(size(K)))
extern "C" __global__ void causal_scores_backward_2(
    const Space space,
    const Array<const Element, 0> qs,
    const Array<const Compute, 1> temp0s,
    const Array<Element, 2> dks,
    const Steps t_steps,
    const Steps s_steps,
    const long long size_k,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = tensor::sqrt((Compute)size_k);
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(temp0s, qs);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            Compute sum0 = row.finish(0);
            if (tensor::is_nan(sum0)) {
                Sum<Compute> sum0_terms;
                for (Elements at(row); at.more(); at.next()) {
                    const Pack<Element> q_here = qs.load(at);
                    const Pack<Compute> temp0_here = temp0s.load(at);
                    EACH(i) {
                        const long long s = s_steps.index(at, i);
                        const long long t = t_steps.index(at, i);
                        const Compute q = tensor::widen(q_here[i]);
                        const Compute temp0 = temp0_here[i];
                        sum0_terms.fold(s <= t ? q * temp0 : Compute(0.0));
                    }
                }
                sum0 = sum0_terms.result();
            }
            if (row.leads()) {
                dks.set(row, tensor::narrow<Element>(sum0 / constant));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> q_here = qs.load(at);
            const Pack<Compute> temp0_here = temp0s.load(at);
            EACH(i) {
                const long long s = s_steps.index(at, i);
                const long long t = t_steps.index(at, i);
                const Compute q = tensor::widen(q_here[i]);
                const Compute temp0 = temp0_here[i];
                sum0_terms.fold(s <= t ? q * temp0 : Compute(0.0));
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dks.set(row, tensor::narrow<Element>(sum0 / constant));
        }
    }
#endif
}
