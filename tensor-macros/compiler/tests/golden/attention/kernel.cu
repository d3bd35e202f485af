//   kernel 0: contraction, free [B, T, S], reduced [K]
//     lhs q[B, T, K], rhs k[B, S, K], batch [B], m [T], n [S]
//     level 0:
//       r0 = sum[K](q[B, T, K] * k[B, S, K])
//     outer:
//       temp0[B, T, S] = r0
extern "C" __global__ void attention_forward_0(
    const Space space,
    const Array<const Element, 0> qs,
    const Array<const Element, 1> ks,
    const Array<Compute, 2> temp0_outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(qs, ks);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                temp0_outs.set(row, sum0);
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
            temp0_outs.set(row, sum0);
        }
    }
#endif
}

//   kernel 1: row, free [B, T], reduced [S]
//     level 0:
//       v0[B, T, S] = if S <= T { temp0[B, T, S] / sqrt(float(size(K))) } else { -inf }
//       r0 = max[S](v0)
//     level 1:
//       v2[B, T, S] = exp(v0 - r0)
//       r1 = sum[S](v2)
//       saved1[B, T, S] = v2
//     outer:
//       saved0[B, T] = r1
extern "C" __global__ void attention_forward_1(
    const Space space,
    const Array<const Compute, 0> temp0s,
    const Array<Compute, 1> saved0_outs,
    const Array<Compute, 2> e_outs,
    const Steps t_steps,
    const Steps s_steps,
    const long long size_k,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = tensor::sqrt((Compute)size_k);
    for (Row row(space, scratch); row.more(); row.next()) {
        Max<Compute> max0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> temp0_here = temp0s.load(at);
            EACH(i) {
                const long long s = s_steps.index(at, i);
                const long long t = t_steps.index(at, i);
                const Compute temp0 = temp0_here[i];
                max0_terms.fold(s <= t ? temp0 / constant : Compute(-INFINITE));
            }
        }
        const Compute max0 = row.finish(max0_terms, 0);
        Sum<Compute> sum1_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> temp0_here = temp0s.load(at);
            Pack<Compute> e_out_new;
            EACH(i) {
                const long long s = s_steps.index(at, i);
                const long long t = t_steps.index(at, i);
                const Compute temp0 = temp0_here[i];
                const Compute value = (s <= t ? temp0 / constant : Compute(-INFINITE)) - max0;
                const Compute value2 = tensor::exp(value);
                sum1_terms.fold(value2);
                e_out_new[i] = value2;
            }
            e_outs.store(at, e_out_new);
        }
        const Compute sum1 = row.finish(sum1_terms, 1);
        if (row.leads()) {
            saved0_outs.set(row, sum1);
        }
    }
}

//   kernel 2: contraction, free [B, T, V], reduced [S]
//     lhs saved1[B, T, S], rhs v[B, S, V], batch [B], m [T], n [V]
//     level 0:
//       r0 = sum[S](saved1[B, T, S] * v[B, S, V])
//     outer:
//       v1[B, T, V] = if size(S) > 0 { r0 / saved0[B, T] } else { 0.0 }
//       output[B, T, V] = v1
//       saved2[B, T, V] = v1
extern "C" __global__ void attention_forward_2(
    const Space space,
    const Array<const Compute, 0> es,
    const Array<const Element, 1> vs,
    const Array<const Compute, 2> saved0s,
    const Array<Element, 3> outs,
    const Array<Compute, 4> saved2_outs,
    const long long size_s,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const bool constant = size_s > 0ll;
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(es, vs);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                const Compute saved0 = saved0s.get(row);
                const Compute value = constant ? sum0 / saved0 : Compute(0.0);
                outs.set(row, tensor::narrow<Element>(value));
                saved2_outs.set(row, value);
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> e_here = es.load(at);
            const Pack<Element> v_here = vs.load(at);
            EACH(i) {
                const Compute v = tensor::widen(v_here[i]);
                const Compute e = e_here[i];
                sum0_terms.fold(e * v);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            const Compute saved0 = saved0s.get(row);
            const Compute value = constant ? sum0 / saved0 : Compute(0.0);
            outs.set(row, tensor::narrow<Element>(value));
            saved2_outs.set(row, value);
        }
    }
#endif
}

//   kernel 0: row, free [B, T], reduced [V]
//     level 0:
//       r0 = sum[V](saved2[B, T, V] * g[B, T, V])
//       temp0[B, T, V] = if size(S) > 0 { g[B, T, V] / saved0[B, T] } else { 0.0 }
//     outer:
//       temp2[B, T] = r0
extern "C" __global__ void attention_backward_0(
    const Space space,
    const Array<const Compute, 0> saved2s,
    const Array<const Compute, 1> gs,
    const Array<const Compute, 2> saved0s,
    const Array<Compute, 3> temp0_outs,
    const Array<Compute, 4> temp2_outs,
    const long long size_s,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const bool constant = size_s > 0ll;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> saved2_here = saved2s.load(at);
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            Pack<Compute> temp0_out_new;
            EACH(i) {
                const Compute g = g_here[i];
                const Compute saved0 = saved0_here[i];
                const Compute saved2 = saved2_here[i];
                sum0_terms.fold(saved2 * g);
                temp0_out_new[i] = constant ? g / saved0 : Compute(0.0);
            }
            temp0_outs.store(at, temp0_out_new);
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            temp2_outs.set(row, sum0);
        }
    }
}

//   kernel 1: contraction, free [B, T, S], reduced [V]
//     lhs temp0[B, T, V], rhs v[B, S, V], batch [B], m [T], n [S]
//     level 0:
//       r0 = sum[V](v[B, S, V] * temp0[B, T, V])
//     outer:
//       temp1[B, T, S] = if S <= T { -saved1[B, T, S] * ((if size(S) > 0 { temp2[B, T] / saved0[B, T] } else { 0.0 }) - r0) / sqrt(float(size(K))) } else { 0.0 }
extern "C" __global__ void attention_backward_1(
    const Space space,
    const Array<const Element, 0> vs,
    const Array<const Compute, 1> temp0s,
    const Array<const Compute, 2> es,
    const Array<const Compute, 3> saved0s,
    const Array<const Compute, 4> temp2s,
    const Array<Compute, 5> temp1_outs,
    const Steps t_steps,
    const Steps s_steps,
    const long long size_k,
    const long long size_s,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = tensor::sqrt((Compute)size_k);
    const bool constant2 = size_s > 0ll;
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(temp0s, vs);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                const long long s = s_steps.index(row, 0);
                const long long t = t_steps.index(row, 0);
                const Compute saved0 = saved0s.get(row);
                const Compute e = es.get(row);
                const Compute temp2 = temp2s.get(row);
                const Compute value = e * ((constant2 ? temp2 / saved0 : Compute(0.0)) - sum0) / constant;
                temp1_outs.set(row, s <= t ? -value : Compute(0.0));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> v_here = vs.load(at);
            const Pack<Compute> temp0_here = temp0s.load(at);
            EACH(i) {
                const Compute v = tensor::widen(v_here[i]);
                const Compute temp0 = temp0_here[i];
                sum0_terms.fold(v * temp0);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            const long long s = s_steps.index(row, 0);
            const long long t = t_steps.index(row, 0);
            const Compute saved0 = saved0s.get(row);
            const Compute e = es.get(row);
            const Compute temp2 = temp2s.get(row);
            const Compute value = e * ((constant2 ? temp2 / saved0 : Compute(0.0)) - sum0) / constant;
            temp1_outs.set(row, s <= t ? -value : Compute(0.0));
        }
    }
#endif
}

//   kernel 2: contraction, free [B, T, K], reduced [S]
//     lhs temp1[B, T, S], rhs k[B, S, K], batch [B], m [T], n [K]
//     level 0:
//       r0 = sum[S](k[B, S, K] * temp1[B, T, S])
//     outer:
//       dq[B, T, K] = r0
extern "C" __global__ void attention_backward_2(
    const Space space,
    const Array<const Element, 0> ks,
    const Array<const Compute, 1> temp1s,
    const Array<Element, 2> dqs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(temp1s, ks);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                dqs.set(row, tensor::narrow<Element>(sum0));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> k_here = ks.load(at);
            const Pack<Compute> temp1_here = temp1s.load(at);
            EACH(i) {
                const Compute k = tensor::widen(k_here[i]);
                const Compute temp1 = temp1_here[i];
                sum0_terms.fold(k * temp1);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dqs.set(row, tensor::narrow<Element>(sum0));
        }
    }
#endif
}

//   kernel 3: contraction, free [B, S, K], reduced [T]
//     lhs temp1[B, T, S], rhs q[B, T, K], batch [B], m [S], n [K]
//     level 0:
//       r0 = sum[T](q[B, T, K] * temp1[B, T, S])
//     outer:
//       dk[B, S, K] = r0
extern "C" __global__ void attention_backward_3(
    const Space space,
    const Array<const Element, 0> qs,
    const Array<const Compute, 1> temp1s,
    const Array<Element, 2> dks,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(temp1s, qs);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                dks.set(row, tensor::narrow<Element>(sum0));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> q_here = qs.load(at);
            const Pack<Compute> temp1_here = temp1s.load(at);
            EACH(i) {
                const Compute q = tensor::widen(q_here[i]);
                const Compute temp1 = temp1_here[i];
                sum0_terms.fold(q * temp1);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dks.set(row, tensor::narrow<Element>(sum0));
        }
    }
#endif
}

//   kernel 4: contraction, free [B, S, V], reduced [T]
//     lhs saved1[B, T, S], rhs temp0[B, T, V], batch [B], m [S], n [V]
//     level 0:
//       r0 = sum[T](saved1[B, T, S] * temp0[B, T, V])
//     outer:
//       dv[B, S, V] = r0
extern "C" __global__ void attention_backward_4(
    const Space space,
    const Array<const Compute, 0> es,
    const Array<const Compute, 1> temp0s,
    const Array<Element, 2> dvs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(es, temp0s);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                dvs.set(row, tensor::narrow<Element>(sum0));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> e_here = es.load(at);
            const Pack<Compute> temp0_here = temp0s.load(at);
            EACH(i) {
                const Compute temp0 = temp0_here[i];
                const Compute e = e_here[i];
                sum0_terms.fold(e * temp0);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dvs.set(row, tensor::narrow<Element>(sum0));
        }
    }
#endif
}
