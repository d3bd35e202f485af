//   kernel 0: row, free [N], reduced [C]
//     level 0:
//       r0 = max[C](logits[N, C])
//     level 1:
//       r1 = sum[C](exp(logits[N, C] - r0))
//     outer:
//       saved0[N] = r0
//       saved1[N] = r1
extern "C" __global__ void cross_entropy_forward_0(
    const Space space,
    const Array<const Element, 0> logits_array,
    const Array<Compute, 1> m_outs,
    const Array<Compute, 2> saved1_outs,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    for (Row row(space, scratch); row.more(); row.next()) {
        Max<Compute> m_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> logits_here = logits_array.load(at);
            EACH(i) {
                const Compute logits = tensor::widen(logits_here[i]);
                m_terms.fold(logits);
            }
        }
        const Compute m = row.finish(m_terms, 0);
        Sum<Compute> sum1_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Element> logits_here = logits_array.load(at);
            EACH(i) {
                const Compute logits = tensor::widen(logits_here[i]);
                sum1_terms.fold(tensor::exp(logits - m));
            }
        }
        const Compute sum1 = row.finish(sum1_terms, 1);
        if (row.leads()) {
            m_outs.set(row, m);
            saved1_outs.set(row, sum1);
        }
    }
}

//   kernel 1: full, free [], reduced [N]
//     level 0:
//       r0 = sum[N](saved0[N] + ln(saved1[N]) - logits[N, target[N]])
//     outer:
//       output[] = r0 / float(size(N))
extern "C" __global__ void cross_entropy_forward_1(
    const Space space,
    const Array<const Compute, 0> ms,
    const Array<const Compute, 1> saved1s,
    const Gather<Element, 2, 1> logits_array,
    const Array<const long long, 3> targets,
    const Array<Element, 4> outs,
    const long long size_n,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)size_n;
    Found found;
    for (Row row(space, scratch); row.more(); row.next()) {
        Sum<Compute> sum0_terms;
        for (Elements at(row); at.more(); at.next()) {
            const Pack<Compute> m_here = ms.load(at);
            const Pack<Compute> saved1_here = saved1s.load(at);
            const Pack<long long> target_here = targets.load(at);
            EACH(i) {
                const long long target = target_here[i];
                const Compute logits = tensor::widen(logits_array.get(at, i, found, target));
                const Compute saved1 = saved1_here[i];
                const Compute m = m_here[i];
                sum0_terms.fold(m + tensor::ln(saved1) - logits);
            }
        }
        const Compute sum0 = row.finish(sum0_terms, 0);
        if (row.leads()) {
            outs.set(row, tensor::narrow<Element>(sum0 / constant));
        }
    }
    found.report(record, launch);
}

//   kernel 0: pointwise, free [N, C], reduced []
//     outer:
//       dlogits[N, C] = g[] * (exp(logits[N, C] - saved0[N]) / saved1[N] - (if C == target[N] { 1.0 } else { 0.0 })) / float(size(N))
extern "C" __global__ void cross_entropy_backward_0(
    const Space space,
    const Array<const Compute, 0> gs,
    const Array<const Compute, 1> saved1s,
    const Array<const Element, 2> logits_array,
    const Array<const Compute, 3> ms,
    const Array<const long long, 4> targets,
    const Array<Element, 5> dlogits_array,
    const Steps c_steps,
    const long long size_n,
    char *scratch,
    ErrorRecord *record,
    const unsigned launch
) {
    const Compute constant = (Compute)size_n;
    for (Points at(space); at.more(); at.next()) {
        const Pack<Compute> g_here = gs.load(at);
        const Pack<Compute> saved1_here = saved1s.load(at);
        const Pack<Element> logits_here = logits_array.load(at);
        const Pack<Compute> m_here = ms.load(at);
        const Pack<long long> target_here = targets.load(at);
        Pack<Element> dlogits_new;
        EACH(i) {
            const long long c = c_steps.index(at, i);
            const Compute logits = tensor::widen(logits_here[i]);
            const long long target = target_here[i];
            const Compute g = g_here[i];
            const Compute saved1 = saved1_here[i];
            const Compute m = m_here[i];
            const Compute value = tensor::exp(logits - m) / saved1 - (c == target ? Compute(1.0) : Compute(0.0));
            dlogits_new[i] = tensor::narrow<Element>(g * value / constant);
        }
        dlogits_array.store(at, dlogits_new);
    }
}
