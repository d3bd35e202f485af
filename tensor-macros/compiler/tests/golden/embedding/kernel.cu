//   kernel 0: pointwise, free [.., C], reduced []
//     outer:
//       output[.., C] = table[ids[..], C]
extern "C" __global__ void embedding_forward_0(
    const Space space,
    const Gather<Element, 0, 1> tables,
    const Array<const long long, 1> ids_array,
    const Array<Element, 2> outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    Found found;
    for (Points at(space); at.more(); at.next()) {
        const Pack<long long> ids_here = ids_array.load(at);
        Pack<Element> out_new;
        EACH(i) {
            const long long ids = ids_here[i];
            const Compute table = tensor::widen(tables.get(at, i, found, ids));
            out_new[i] = tensor::narrow<Element>(table);
        }
        outs.store(at, out_new);
    }
    found.report(record, launch);
}

//   kernel 0: scatter, free [.., C], reduced []
//     outer:
//       for [.., C]: dtable[ids[..], C] sum= g[.., C]
extern "C" __global__ void embedding_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const long long, 1> ids_array,
    const Scatter<Wide<Element>, 0, 1> dtables,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    Found found;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> g_here = gs.load(at);
        const Pack<long long> ids_here = ids_array.load(at);
        EACH(i) {
            const long long ids = ids_here[i];
            const Compute g = g_here[i];
            dtables.add(at, i, found, g, ids);
        }
    }
    found.report(record, launch);
}
