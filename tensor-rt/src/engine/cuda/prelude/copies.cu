// Kernels of the runtime itself: what surrounds a scatter.

extern "C" __global__ void fill(
    const Space space,
    const Array<Element, 0> outs,
    const Element value,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Points at(space); at.more(); at.next()) {
        Pack<Element> out_new;
        EACH(i) out_new[i] = value;
        outs.store(at, out_new);
    }
}

extern "C" __global__ void widen(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<Compute, 1> outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Points at(space); at.more(); at.next()) {
        const Pack<Element> x_here = xs.load(at);
        Pack<Compute> out_new;
        EACH(i) out_new[i] = tensor::widen(x_here[i]);
        outs.store(at, out_new);
    }
}

extern "C" __global__ void narrow(
    const Space space,
    const Array<const Compute, 0> xs,
    const Array<Element, 1> outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> x_here = xs.load(at);
        Pack<Element> out_new;
        EACH(i) out_new[i] = tensor::narrow<Element>(x_here[i]);
        outs.store(at, out_new);
    }
}
