//   kernel 0: contraction, free [.., O], reduced [I]
//     lhs x[.., I], rhs w[O, I], batch [], m [..], n [O]
//     level 0:
//       r0 = sum[I](x[.., I] * w[O, I])
//     outer:
//       output[.., O] = r0 + b[O]
extern "C" __global__ void linear_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Element, 1> ws,
    const Array<const Element, 2> bs,
    const Array<Element, 3> outs,
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
                outs.set(row, tensor::narrow<Element>(sum0 + b));
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
            outs.set(row, tensor::narrow<Element>(sum0 + b));
        }
    }
#endif
}

//   kernel 0: column, free [O], reduced [..]
//     level 0:
//       r0 = sum[..](g[.., O])
//     outer:
//       db[O] = r0
extern "C" __global__ void linear_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<Element, 1> dbs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> g_here = gs.load(at);
            EACH(i) {
                const Compute g = g_here[i];
                sum0_terms.fold(g);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dbs.set(row, tensor::narrow<Element>(sum0));
        }
    }
}

//   kernel 1: contraction, free [.., I], reduced [O]
//     lhs g[.., O], rhs w[O, I], batch [], m [..], n [I]
//     level 0:
//       r0 = sum[O](w[O, I] * g[.., O])
//     outer:
//       dx[.., I] = r0
extern "C" __global__ void linear_backward_1(
    const Space space,
    const Array<const Element, 0> ws,
    const Array<const Compute, 1> gs,
    const Array<Element, 2> dxs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(gs, ws);
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
            const Pack<Compute> g_here = gs.load(at);
            EACH(i) {
                const Compute w = tensor::widen(w_here[i]);
                const Compute g = g_here[i];
                sum0_terms.fold(w * g);
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
//     lhs g[.., O], rhs x[.., I], batch [], m [O], n [I]
//     level 0:
//       r0 = sum[..](x[.., I] * g[.., O])
//     outer:
//       dw[O, I] = r0
extern "C" __global__ void linear_backward_2(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<const Compute, 1> gs,
    const Array<Element, 2> dws,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
#if PRODUCT
    for (Tiles<Compute> tile(space); tile.more(); tile.next()) {
        tile.multiply(gs, xs);
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
            const Pack<Compute> g_here = gs.load(at);
            EACH(i) {
                const Compute x = tensor::widen(x_here[i]);
                const Compute g = g_here[i];
                sum0_terms.fold(x * g);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            dws.set(row, tensor::narrow<Element>(sum0));
        }
    }
#endif
}
