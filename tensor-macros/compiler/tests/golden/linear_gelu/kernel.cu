//   kernel 0: contraction, free [.., O], reduced [I]
//     lhs x[.., I], rhs w[O, I], batch [], m [..], n [O]
//     level 0:
//       r0 = sum[I](x[.., I] * w[O, I])
//     outer:
//       z[.., O] = r0 + b[O]
//       output[.., O] = 0.5 * z * (1.0 + tanh(0.79788 * (z + 0.044715 * z * z * z)))
//       saved0[.., O] = r0
extern "C" __global__ void linear_gelu_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Element, 1> ws,
    const Array<const Element, 2> bs,
    const Array<Element, 3> outs,
    const Array<Compute, 4> saved0_outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(xs, ws);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                const Compute b = tensor::widen(bs.get(row));
                const Compute z = sum0 + b;
                const Compute value = Compute(0.79788) * (z + Compute(0.044715) * z * z * z);
                outs.set(row, tensor::narrow<Element>(Compute(0.5) * z * (Compute(1.0) + tensor::tanh(value))));
                saved0_outs.set(row, sum0);
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Element> w_here = ws.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute w = tensor::widen(w_here[i]);
                sum0_terms.fold(x * w);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            const Compute b = tensor::widen(bs.get(row));
            const Compute z = sum0 + b;
            const Compute value = Compute(0.79788) * (z + Compute(0.044715) * z * z * z);
            outs.set(row, tensor::narrow<Element>(Compute(0.5) * z * (Compute(1.0) + tensor::tanh(value))));
            saved0_outs.set(row, sum0);
        }
    }
#endif
}

//   kernel 0: column, free [O], reduced [..]
//     level 0:
//       v0[.., O] = saved0[.., O] + b[O]
//       v1[.., O] = 0.044715 * v0
//       v2[.., O] = v1 * v0
//       v3[.., O] = tanh(0.79788 * (v0 + v2 * v0))
//       v4[.., O] = g[.., O] * (0.5 * (1.0 + v3) + (0.5 * v0) * (1.0 - v3^2) * (0.79788 + 0.79788 * v2 + v0 * (0.79788 * v1 + 0.0356772042 * v0)))
//       r0 = sum[..](v4)
//       temp0[.., O] = v4
//     outer:
//       db[O] = r0
extern "C" __global__ void linear_gelu_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const Compute, 1> saved0s,
    const Array<const Element, 2> bs,
    const Array<Element, 3> dbs,
    const Array<Compute, 4> temp0_outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> g_here = gs.load(at);
            const Pack<Compute> saved0_here = saved0s.load(at);
            const Pack<Element> b_here = bs.load(at);
            Pack<Compute> temp0_out_new;
            EACH(i) {
                const Compute b = tensor::widen(b_here[i]);
                const Compute g = g_here[i];
                const Compute saved0 = saved0_here[i];
                const Compute value = saved0 + b;
                const Compute value2 = Compute(0.044715) * value;
                const Compute value3 = value2 * value;
                const Compute value4 = tensor::tanh(Compute(0.79788) * (value + value3 * value));
                const Compute value5 = Compute(0.79788) + Compute(0.79788) * value3 + value * (Compute(0.79788) * value2 + Compute(0.0356772042) * value);
                const Compute value6 = Compute(0.5) * value * (Compute(1.0) - value4 * value4) * value5;
                const Compute value7 = g * (Compute(0.5) * (Compute(1.0) + value4) + value6);
                sum0_terms.fold(value7);
                temp0_out_new[i] = value7;
            }
            temp0_outs.store(at, temp0_out_new);
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dbs.set(row, tensor::narrow<Element>(sum0));
        }
    }
}

//   kernel 1: contraction, free [.., I], reduced [O]
//     lhs temp0[.., O], rhs w[O, I], batch [], m [..], n [I]
//     level 0:
//       r0 = sum[O](w[O, I] * temp0[.., O])
//     outer:
//       dx[.., I] = r0
extern "C" __global__ void linear_gelu_backward_1(
    const Space space,
    const Array<const Element, 0> ws,
    const Array<const Compute, 1> temp0s,
    const Array<Element, 2> dxs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(temp0s, ws);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                dxs.set(row, tensor::narrow<Element>(sum0));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> w_here = ws.load(at);
            const Pack<Compute> temp0_here = temp0s.load(at);
            EACH(i) {
                const Compute w = tensor::widen(w_here[i]);
                const Compute temp0 = temp0_here[i];
                sum0_terms.fold(w * temp0);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dxs.set(row, tensor::narrow<Element>(sum0));
        }
    }
#endif
}

//   kernel 2: contraction, free [O, I], reduced [..]
//     lhs temp0[.., O], rhs x[.., I], batch [], m [O], n [I]
//     level 0:
//       r0 = sum[..](x[.., I] * temp0[.., O])
//     outer:
//       dw[O, I] = r0
extern "C" __global__ void linear_gelu_backward_2(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Compute, 1> temp0s,
    const Array<Element, 2> dws,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(temp0s, xs);
        for (Result<Compute> row(tile, scratch); row.more(); row.next()) {
            const Compute sum0 = row.finish(0);
            if (row.leads()) {
                dws.set(row, tensor::narrow<Element>(sum0));
            }
        }
    }
#else
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> x_here = xs.load(at);
            const Pack<Compute> temp0_here = temp0s.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute temp0 = temp0_here[i];
                sum0_terms.fold(x * temp0);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dws.set(row, tensor::narrow<Element>(sum0));
        }
    }
#endif
}
