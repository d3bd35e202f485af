//   kernel 0: pointwise, free [N, C], reduced []
//     outer:
//       output[N, C] = if C == ids[N] { 1.0 } else { 0.0 }
extern "C" __global__ void one_hot_forward_0(
    const Space space,
    const Array<const long long, 0> ids_array,
    const Array<float, 1> outs,
    const Steps c_steps,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Points at(space); at.more(); at.next()) {
        const Pack<long long> ids_here = ids_array.load(at);
        Pack<float> out_new;
        EACH(i) {
            const long long c = c_steps.index(at, i);
            const long long ids = ids_here[i];
            out_new[i] = c == ids ? 1.0f : 0.0f;
        }
        outs.store(at, out_new);
    }
}
