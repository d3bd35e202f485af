//! Why a float parameter has no gradient.

use crate::ir::{Binary, Kernel, Op, Root, Source, Target, Unary};

/// What each float parameter meets first on its ways to the outputs, should it turn out to have no gradient.
pub(super) struct Blocked {
    params: Vec<Ways>,
}

/// The ways of one tensor parameter to the outputs.
struct Ways {
    used: bool,
    /// An output is a differentiable function of the parameter.
    arrives: bool,
    obstacles: Vec<&'static str>,
}

impl Blocked {
    /// Looks at the forward nodes.
    pub(super) fn of(kernel: &Kernel) -> Self {
        let graph = &kernel.graph;
        let values: Vec<_> = kernel.roots.iter().map(|root| root.value).collect();
        let reachable = graph.reachable(&values);
        let mut params = vec![];
        for param in 0..kernel.tensors.len() as u32 {
            let mut carries = vec![false; graph.len()];
            let mut used = false;
            let mut obstacles: Vec<&'static str> = vec![];
            for &id in &reachable {
                let node = graph.node(id);
                if matches!(node.op, Op::Load { source: Source::Param(source), .. } if source == param) {
                    used = true;
                    carries[id.0 as usize] = true;
                } else if node.args.iter().any(|arg| carries[arg.0 as usize]) {
                    match obstacle(&node.op, node.ty.is_float()) {
                        Some(obstacle) if !obstacles.contains(&obstacle) => obstacles.push(obstacle),
                        Some(_) => {}
                        None => carries[id.0 as usize] = true,
                    }
                }
            }
            let arrives =
                kernel.roots.iter().any(|root| carries[root.value.0 as usize] && graph.ty(root.value).is_float());
            params.push(Ways { used, arrives, obstacles });
        }
        Self { params }
    }

    /// True if an output is a differentiable function of the parameter, be it one that never changes.
    pub(super) fn arrives(&self, param: u32) -> bool {
        self.params[param as usize].arrives
    }

    /// A sentence for each float parameter without a root.
    pub(super) fn reasons(&self, kernel: &Kernel, roots: &[Root]) -> Vec<(u32, String)> {
        let mut reasons = vec![];
        for (param, tensor) in kernel.tensors.iter().enumerate() {
            let has_root = roots.iter().any(|root| root.target == Target::Gradient(param as u32));
            if has_root || !tensor.elem.is_float() {
                continue;
            }
            let name = &tensor.name;
            let Ways { used, obstacles, .. } = &self.params[param];
            let reason = match used {
                false => format!("`{name}` is not used in any output"),
                true => format!("`{name}` reaches the outputs only through {}", obstacles.join(" and ")),
            };
            reasons.push((param as u32, reason));
        }
        reasons
    }
}

/// What stops a derivative, in words.
fn obstacle(op: &Op, float: bool) -> Option<&'static str> {
    match op {
        Op::Stop => Some("`detach`"),
        Op::Unary(Unary::Floor) => Some("`floor`"),
        Op::Unary(Unary::Ceil) => Some("`ceil`"),
        Op::Unary(Unary::Round) => Some("`round`"),
        Op::Unary(Unary::Trunc) => Some("`trunc`"),
        Op::Unary(Unary::Sign) => Some("`sign`"),
        Op::Unary(Unary::IsNan | Unary::IsFinite) => Some("a test"),
        Op::Binary(Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge) => Some("a comparison"),
        Op::Cast(_) | Op::Convert(_) if !float => Some("a cast to an integer"),
        Op::Reduce { .. } if !float => Some("`argmax` or `argmin`"),
        _ => None,
    }
}
