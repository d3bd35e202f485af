//! Schedules of graphs built by hand.

use tensor_rt_compiler::ir::{
    AxisId, Binary, Elem, Extent, Graph, Intent, Kernel, NodeId, Output, Reduction, Root, Source, Target, Tensor, Ty,
    Unary, Write,
};
use tensor_rt_compiler::{diff, print, schedule};

/// A kernel of float tensors named after letters, with one output.
fn kernel(graph: Graph, tensors: &[&[AxisId]], axes: &[AxisId], value: NodeId) -> Kernel {
    Kernel {
        name: "k".to_owned(),
        graph,
        tensors: (tensors.iter().enumerate())
            .map(|(position, axes)| Tensor {
                name: char::from(b'a' + position as u8).to_string(),
                intent: Intent::Read,
                elem: Elem::Generic,
                axes: axes.to_vec(),
            })
            .collect(),
        scalars: vec![],
        outputs: vec![Output { elem: Elem::Generic, axes: axes.to_vec() }],
        roots: vec![Root { target: Target::Output(0), write: Write::Dense { axes: axes.to_vec() }, value }],
        asserts: vec![],
        no_grad: false,
        names: Default::default(),
    }
}

fn axes<const N: usize>(graph: &mut Graph, names: [&str; N]) -> [AxisId; N] {
    names.map(|name| {
        let extent = graph.add_extent(Extent::Declared);
        graph.add_axis(name, extent, name == "..")
    })
}

fn load(graph: &mut Graph, param: u32, axes: &[AxisId]) -> NodeId {
    graph.load_own(Source::Param(param), axes, Ty::Float)
}

fn schedule(mut kernel: Kernel) -> String {
    let backward = diff::backward(&mut kernel).expect("a gradient");
    let mut text = print::kernel(&kernel) + &print::backward(&kernel, &backward);
    println!("{text}");
    let schedule = schedule::forward(&mut kernel, &backward.saved).expect("nothing is edited");
    text += &print::schedule(&kernel, &schedule, "forward");
    println!("{text}");
    let schedule = schedule::backward(&mut kernel, &backward);
    text += &print::schedule(&kernel, &schedule, "backward");
    println!("{text}");
    text
}

fn softmax(graph: &mut Graph, x: NodeId, axis: AxisId) -> NodeId {
    let max = graph.reduce(Reduction::Max, vec![axis], x);
    let centered = graph.binary(Binary::Sub, x, max);
    let e = graph.unary(Unary::Exp, centered);
    let sum = graph.reduce(Reduction::Sum, vec![axis], e);
    graph.binary(Binary::Div, e, sum)
}

#[test]
fn softmax_is_one_row_kernel() {
    let mut graph = Graph::new();
    let [n, c] = axes(&mut graph, ["..", "C"]);
    let x = load(&mut graph, 0, &[n, c]);
    let y = softmax(&mut graph, x, c);
    let text = schedule(kernel(graph, &[&[n, c]], &[n, c], y));
    assert!(text.contains("1/3 (0)"));
}

#[test]
fn attention_is_two_products_around_a_row() {
    let mut graph = Graph::new();
    let [b, t, s, k, v] = axes(&mut graph, ["B", "T", "S", "K", "V"]);
    let q = load(&mut graph, 0, &[b, t, k]);
    let key = load(&mut graph, 1, &[b, s, k]);
    let value = load(&mut graph, 2, &[b, s, v]);
    let product = graph.binary(Binary::Mul, q, key);
    let scores = graph.reduce(Reduction::Sum, vec![k], product);
    let p = softmax(&mut graph, scores, s);
    let product = graph.binary(Binary::Mul, p, value);
    let y = graph.reduce(Reduction::Sum, vec![s], product);
    let text = schedule(kernel(graph, &[&[b, t, k], &[b, s, k], &[b, s, v]], &[b, t, v], y));
    assert!(text.contains("3/4 (1)"));
}
