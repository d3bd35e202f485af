//   kernel 0: pointwise, free [N], reduced []
//     outer:
//       y[N] = y[N] + a * x[N]
extern "C" __global__ void axpy_forward_0(
    const Space space,
    const Array<const Element, 0> xs,
    const Array<Element, 1> ys,
    const double a_double,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute a = (Compute)a_double;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Element> x_here = xs.load(at);
        Pack<Element> y_new = ys.load(at);
        EACH(i) {
            const Compute x = tensor::widen(x_here[i]);
            const Compute y = tensor::widen(y_new[i]);
            y_new[i] = tensor::narrow<Element>(y + a * x);
        }
        ys.store(at, y_new);
    }
}
