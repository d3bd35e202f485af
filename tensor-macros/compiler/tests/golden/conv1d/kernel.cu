//   kernel 0: contraction, free [N, O, P], reduced [C, W]
//     lhs x[N, C, P * stride + W - pad].if(P * stride + W - pad >= 0 && P * stride + W - pad < size(L)), rhs k[O, C, W], batch [], m [N, P], n [O]
//     level 0:
//       v0[W, P] = P * stride + W - pad
//       r0 = sum[C, W](x[N, C, v0].if(v0 >= 0 && v0 < size(L)) * k[O, C, W])
//     outer:
//       output[N, O, P] = r0
extern "C" __global__ void conv1d_forward_0(
    const Space space,
    const Clipped<Element, 1> xs,
    const Array<const Element, 1> ks,
    const Array<Element, 2> outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(xs, ks);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                outs.set(row, tensor::narrow<Element>(sum0));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Element> k_here = ks.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute k = tensor::widen(k_here[i]);
                sum0_terms.fold(x * k);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            outs.set(row, tensor::narrow<Element>(sum0));
        }
    }
#endif
}

//   kernel 0: contraction, free [O, C, W], reduced [N, P]
//     lhs g[N, O, P], rhs x[N, C, P * stride + W - pad].if(P * stride + W - pad >= 0 && P * stride + W - pad < size(L)), batch [], m [O], n [C, W]
//     level 0:
//       v0[W, P] = P * stride + W - pad
//       v1[W, P] = v0 >= 0 && v0 < size(L)
//       r0 = sum[N, P](if v1 { g[N, O, P] * x[N, C, v0].if(v1) } else { 0.0 })
//     outer:
//       dk[O, C, W] = r0
extern "C" __global__ void conv1d_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Clipped<Element, 1> xs,
    const Array<Element, 2> dks,
    const Steps w_steps,
    const Steps p_steps,
    const long long size_l,
    const long long stride,
    const long long pad,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(gs, xs);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            Compute sum0 = row.finish(0);
            if (tensor::is_nan(sum0)) {
                Sum<Compute> sum0_terms;
                for (Elements at(row); at.more(); at.next()) {
                    const Pack<Compute> g_here = gs.load(at);
                    const Pack<Element> x_here = xs.load(at);
                    EACH(i) {
                        const long long p = p_steps.index(at, i);
                        const long long w = w_steps.index(at, i);
                        const long long value = tensor::sub(tensor::add(tensor::mul(p, stride), w), pad);
                        const Compute x = tensor::widen(x_here[i]);
                        const Compute g = g_here[i];
                        const Compute value2 = value >= 0ll && value < size_l ? g * x : Compute(0.0);
                        sum0_terms.fold(value2);
                    }
                }
                sum0 = sum0_terms.result();
            }
            if (row.leads()) {
                dks.set(row, tensor::narrow<Element>(sum0));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Element> x_here = xs.load(at);
            EACH(i) {
                const long long p = p_steps.index(at, i);
                const long long w = w_steps.index(at, i);
                const long long value = tensor::sub(tensor::add(tensor::mul(p, stride), w), pad);
                const Compute x = tensor::widen(x_here[i]);
                const Compute g = g_here[i];
                const Compute value2 = value >= 0ll && value < size_l ? g * x : Compute(0.0);
                sum0_terms.fold(value2);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dks.set(row, tensor::narrow<Element>(sum0));
        }
    }
#endif
}

//   kernel 1: contraction, free [N, C, L], reduced [O, W]
//     lhs g[N, O, (L - W + pad) / stride].if((L - W + pad) / stride * stride == L - W + pad && (L - W + pad) / stride >= 0 && (L - W + pad) / stride < size(P)), rhs k[O, C, W], batch [], m [N, L], n [C]
//     level 0:
//       v0[L, W] = L - W + pad
//       v1[L, W] = v0 / stride
//       v2[L, W] = v1 * stride == v0 && v1 >= 0 && v1 < size(P)
//       r0 = sum[O, W](if v2 { k[O, C, W] * g[N, O, v1].if(v2) } else { 0.0 })
//     outer:
//       dx[N, C, L] = r0
extern "C" __global__ void conv1d_backward_1(
    const Space space,
    const Array<const Element, 0> ks,
    const Clipped<Compute, 1> gs,
    const Array<Element, 2> dxs,
    const Steps l_steps,
    const Steps w_steps,
    const long long size_p,
    const long long stride,
    const long long pad,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    Found found;
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(gs, ks);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            Compute sum0 = row.finish(0);
            if (tensor::is_nan(sum0)) {
                Sum<Compute> sum0_terms;
                for (Elements at(row); at.more(); at.next()) {
                    const Pack<Element> k_here = ks.load(at);
                    const Pack<Compute> g_here = gs.load(at);
                    EACH(i) {
                        const long long w = w_steps.index(at, i);
                        const Compute k = tensor::widen(k_here[i]);
                        const long long l = l_steps.index(at, i);
                        const long long value = tensor::add(tensor::sub(l, w), pad);
                        const long long value2 = found.divide(at, i, value, stride);
                        const bool value3 = tensor::mul(value2, stride) == value && value2 >= 0ll && value2 < size_p;
                        const Compute g = g_here[i];
                        sum0_terms.fold(value3 ? k * g : Compute(0.0));
                    }
                }
                sum0 = sum0_terms.result();
            }
            if (row.leads()) {
                dxs.set(row, tensor::narrow<Element>(sum0));
            }
        }
    }
    found.report(record, launch);
#else
    Found found;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> k_here = ks.load(at);
            const Pack<Compute> g_here = gs.load(at);
            EACH(i) {
                const long long w = w_steps.index(at, i);
                const Compute k = tensor::widen(k_here[i]);
                const long long l = l_steps.index(at, i);
                const long long value = tensor::add(tensor::sub(l, w), pad);
                const long long value2 = found.divide(at, i, value, stride);
                const bool value3 = tensor::mul(value2, stride) == value && value2 >= 0ll && value2 < size_p;
                const Compute g = g_here[i];
                sum0_terms.fold(value3 ? k * g : Compute(0.0));
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dxs.set(row, tensor::narrow<Element>(sum0));
        }
    }
    found.report(record, launch);
#endif
}
