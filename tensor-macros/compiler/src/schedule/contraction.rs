//! Sums of products that a matrix product computes.
//!
//! A *factor* is an operand of the flattened product, a *guard* a condition under which alone the product counts. A sum
//! over `A` with free axes `F` is a contraction if its factors fall into two *groups*, each with a free axis that the
//! other lacks, and with summed axes in common. What has no summed axis leaves the sum (the *epilogue*); a summed axis
//! that one group alone has is summed inside that group. An operand that is not one load, one reduction or one stored
//! array becomes a stored array; but a load through a window stays one: as an array it would have more axes than its input.
//!
//! More than two groups are nested pairwise in source order, if every step but the last sums an axis.
//!
//! Invariant: a contraction is the sum that the user wrote also where it is empty, and where a factor is infinite or NaN
//! at a point that a guard excludes. The stored operands are 0 at such points, which alone would give 0 times infinity.

use std::collections::{HashMap, HashSet};

use super::class::{is_plain_load, load_index};
use super::{deviation, selection};
use crate::ir::{AxisId, AxisSet, Binary, Graph, Literal, NodeId, Op, Reduction, Ty, Unary};

/// A sum of the product of two arrays.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// One operand; an array.
    pub lhs: NodeId,
    /// The other operand; an array.
    pub rhs: NodeId,
    /// True if the product counts under guards only.
    pub guarded: bool,
}

/// The contractions of a graph and the arrays they need.
#[derive(Default)]
pub(super) struct Contractions {
    /// By the reduction.
    pub forms: HashMap<NodeId, Form>,
    /// Expressions that must be arrays.
    pub stored: HashSet<NodeId>,
}

/// Rewrites every expression that `roots` reach so that its contractions are sums of two arrays, and its variances over
/// columns reductions of their own. `contractions.stored`
/// names expressions that are arrays already; the result maps old nodes to new ones.
pub(super) fn expose(graph: &mut Graph, roots: &[NodeId], contractions: &mut Contractions) -> HashMap<NodeId, NodeId> {
    let stored = contractions.stored.clone();
    contractions.stored.clear();
    let mut map: HashMap<NodeId, NodeId> = HashMap::new();
    let reachable = graph.reachable(roots);
    let corrected = deviation::corrected(graph, &reachable);
    for id in reachable {
        let node = graph.node(id).clone();
        let args: Vec<NodeId> = node.args.iter().map(|arg| map[arg]).collect();
        let exposed = match &node.op {
            Op::Reduce { op: Reduction::Sum, axes } => {
                let exposed = contractions.rewrite(graph, axes, args[0]);
                let is_corrected = corrected.contains(&id);
                exposed
                    .or_else(|| deviation::squared(graph, axes, args[0], &contractions.forms).filter(|_| !is_corrected))
            }
            _ => None,
        };
        let new = exposed.unwrap_or_else(|| graph.intern(node.op, args, node.ty));
        if stored.contains(&id) {
            contractions.stored.insert(new);
        }
        map.insert(id, new);
    }
    map
}

/// A flattened product.
#[derive(Default)]
struct Product {
    factors: Vec<(NodeId, i32)>,
    guards: Vec<NodeId>,
    negative: bool,
}

/// Factors whose axes are those of one of them, or fewer.
struct Group {
    axes: AxisSet,
    product: Product,
}

impl Contractions {
    /// `sum[axes](body)` in another form, if there is a cheaper one.
    fn rewrite(&mut self, graph: &mut Graph, axes: &[AxisId], body: NodeId) -> Option<NodeId> {
        let Some((left, body)) = selection::decide(graph, axes, body, &self.stored) else {
            return if graph.ty(body).is_float() { self.sum(graph, axes, body) } else { None };
        };
        Some(match left.is_empty() {
            true if graph.ty(body).is_integer() => graph.convert(Ty::I64, body),
            true => body,
            false => self.rewrite(graph, &left, body).unwrap_or_else(|| graph.reduce(Reduction::Sum, left, body)),
        })
    }

    /// `sum[axes](body)` as contractions and an epilogue, if it is one.
    fn sum(&mut self, graph: &mut Graph, axes: &[AxisId], body: NodeId) -> Option<NodeId> {
        let summed: AxisSet = axes.iter().copied().collect();
        let mut product = Product::default();
        self.flatten(graph, body, 1, &summed, &mut product);
        let (epilogue, inner) = product.split(|id| graph.axes(id).is_disjoint(&summed));
        let groups = self.groups(graph, inner)?;
        let result = match groups[..] {
            [] | [_] => return None,
            [_, _] => self.pair(graph, axes, &groups)?,
            _ => self.nest(graph, axes, &groups)?,
        };
        let product = epilogue.times(graph, result);
        let every_axis = |group: &Group| summed.is_subset(&group.axes);
        let keeps_zero = epilogue.factors.iter().all(|&(factor, _)| graph.keeps_zero(factor));
        Some(match keeps_zero && groups.iter().all(every_axis) {
            true => product,
            false => graph.zero_if_empty(axes, product),
        })
    }

    /// The factors and guards of an expression. Reductions and stored arrays are not looked into, and a product is taken
    /// apart only where that parts axes: multiplying in another order may overflow.
    fn flatten(&self, graph: &Graph, id: NodeId, power: i32, summed: &AxisSet, product: &mut Product) {
        let factors = self.factors(graph, id, power);
        let leaves = |&(factor, _): &(NodeId, i32)| graph.axes(factor).is_disjoint(summed);
        if factors.is_empty() || !(factors.iter().any(leaves) || self.parts(graph, id, &mut HashMap::new())) {
            product.factors.push((id, power));
            return;
        }
        match graph.op(id) {
            Op::Unary(Unary::Neg) => product.negative ^= power % 2 != 0,
            Op::Select => conjuncts(graph, graph.args(id)[0], &mut product.guards),
            _ => {}
        }
        for (factor, power) in factors {
            self.flatten(graph, factor, power, summed, product);
        }
    }

    /// The operands that an expression to a power is the product of, up to its sign and guard; none if it is no product.
    fn factors(&self, graph: &Graph, id: NodeId, power: i32) -> Vec<(NodeId, i32)> {
        let args = graph.args(id);
        match graph.op(id) {
            _ if self.stored.contains(&id) => vec![],
            Op::Binary(Binary::Mul) => vec![(args[0], power), (args[1], power)],
            Op::Binary(Binary::Div) => vec![(args[0], power), (args[1], -power)],
            Op::Unary(Unary::Neg) => vec![(args[0], power)],
            Op::Product { powers } => args.iter().zip(powers).map(|(&arg, inner)| (arg, power * inner)).collect(),
            Op::Select if power == 1 && is_zero(graph, args[2]) => vec![(args[1], 1)],
            _ => vec![],
        }
    }

    /// True if an expression is a product of parts none of which has all its axes.
    fn parts(&self, graph: &Graph, id: NodeId, known: &mut HashMap<NodeId, bool>) -> bool {
        if let Some(&known) = known.get(&id) {
            return known;
        }
        let factors = self.factors(graph, id, 1);
        let whole = factors.iter().filter(|&&(factor, _)| graph.axes(factor) == graph.axes(id));
        let whole: Vec<NodeId> = whole.map(|&(factor, _)| factor).collect();
        let parts = !factors.is_empty()
            && (whole.is_empty() || whole.into_iter().any(|factor| self.parts(graph, factor, known)));
        known.insert(id, parts);
        parts
    }

    /// Factors by their largest axis sets, in source order; `None` if a guard spans several.
    fn groups(&self, graph: &Graph, product: Product) -> Option<Vec<Group>> {
        let sets: Vec<&AxisSet> = product.factors.iter().map(|&(id, _)| graph.axes(id)).collect();
        let mut groups: Vec<Group> = Vec::new();
        for &set in &sets {
            let largest = !sets.iter().any(|other| set.is_subset(other) && set != *other);
            if largest && groups.iter().all(|group| group.axes != *set) {
                groups.push(Group { axes: set.clone(), product: Product::default() });
            }
        }
        // Smaller factors join the group that is no bare array already, so that fewer arrays are made.
        let mut smaller = Vec::new();
        for &(id, power) in &product.factors {
            match groups.iter_mut().find(|group| group.axes == *graph.axes(id)) {
                Some(group) => group.product.factors.push((id, power)),
                None => smaller.push((id, power)),
            }
        }
        for guard in product.guards {
            choose(graph, self, &mut groups, guard)?.product.guards.push(guard);
        }
        for (id, power) in smaller {
            choose(graph, self, &mut groups, id)?.product.factors.push((id, power));
        }
        Some(groups)
    }

    /// The contraction of two groups, if each has a free axis of its own.
    fn pair(&mut self, graph: &mut Graph, axes: &[AxisId], groups: &[Group]) -> Option<NodeId> {
        let [left, right] = groups else { return None };
        let summed: AxisSet = axes.iter().copied().collect();
        let common: Vec<AxisId> =
            axes.iter().copied().filter(|&axis| left.axes.contains(axis) && right.axes.contains(axis)).collect();
        let own = |this: &Group, other: &Group| !this.axes.difference(&other.axes).is_subset(&summed);
        let guards: Vec<NodeId> = [left, right].iter().flat_map(|group| group.product.guards.iter().copied()).collect();
        // The body needs its guards: they make a product 0 where the operand without them is infinite.
        let alone = summed.difference(&common.iter().copied().collect());
        if common.is_empty()
            || !own(left, right)
            || !own(right, left)
            || guards.iter().any(|&guard| !graph.axes(guard).is_disjoint(&alone))
        {
            return None;
        }
        let windows = [left, right].map(|group| group.is_window(graph).then(|| group.clipped_load(graph)));
        if windows.contains(&Some(None)) || windows != [None, None] && !alone.is_empty() {
            return None;
        }
        let [lhs, rhs] = [(left, right), (right, left)].map(|(group, other)| match group.clipped_load(graph) {
            Some(load) if group.is_window(graph) => load,
            _ => self.operand(graph, axes, group, &other.axes),
        });
        let body = graph.binary(Binary::Mul, lhs, rhs);
        let body = guarded(graph, body, &guards);
        let sum = graph.reduce(Reduction::Sum, common, body);
        self.forms.insert(sum, Form { lhs, rhs, guarded: !guards.is_empty() });
        Some(sum)
    }

    /// The array of a group, summed over the axes that the other group lacks.
    fn operand(&mut self, graph: &mut Graph, axes: &[AxisId], group: &Group, other: &AxisSet) -> NodeId {
        let mut value = group.product.value(graph);
        let alone: Vec<AxisId> =
            axes.iter().copied().filter(|&axis| group.axes.contains(axis) && !other.contains(axis)).collect();
        if !alone.is_empty() {
            value = graph.reduce(Reduction::Sum, alone, value);
        }
        if !self.is_array(graph, value) {
            self.stored.insert(value);
        }
        value
    }

    /// Several groups, two at a time in source order; an axis is summed as soon as no later group has it. Not under
    /// guards: where an inner sum is 0 because of them, a later factor may be infinite.
    fn nest(&mut self, graph: &mut Graph, axes: &[AxisId], groups: &[Group]) -> Option<NodeId> {
        if groups.iter().any(|group| !group.product.guards.is_empty()) {
            return None;
        }
        let mut value = groups[0].product.value(graph);
        let mut rest: Vec<AxisId> = axes.to_vec();
        for (position, group) in groups.iter().enumerate().skip(1) {
            let factor = group.product.value(graph);
            value = graph.binary(Binary::Mul, value, factor);
            let later: AxisSet = groups[position + 1..].iter().flat_map(|group| group.axes.iter()).collect();
            let (done, open): (Vec<AxisId>, Vec<AxisId>) = rest.iter().partition(|&&axis| !later.contains(axis));
            if done.is_empty() {
                return None;
            }
            value = match self.sum(graph, &done, value) {
                Some(value) => value,
                None => graph.reduce(Reduction::Sum, done, value),
            };
            rest = open;
        }
        Some(value)
    }

    /// True if an expression is an array at its own index: a load at bare, distinct axes, a reduction, or stored.
    fn is_array(&self, graph: &Graph, id: NodeId) -> bool {
        self.stored.contains(&id) || matches!(graph.op(id), Op::Reduce { .. }) || is_plain_load(graph, id)
    }
}

impl Group {
    /// True if the group is one array.
    fn is_bare(&self, graph: &Graph, contractions: &Contractions) -> bool {
        let product = &self.product;
        matches!(product.factors[..], [(id, 1)] if product.guards.is_empty() && contractions.is_array(graph, id))
    }

    /// The load that the group is, if it is one and is 0 by itself wherever the guards of the group do not hold.
    fn clipped_load(&self, graph: &Graph) -> Option<NodeId> {
        let [(mut value, 1)] = self.product.factors[..] else { return None };
        let mut guards = self.product.guards.clone();
        while let (Op::Select, &[condition, a, b]) = (graph.op(value), graph.args(value))
            && is_zero(graph, b)
        {
            conjuncts(graph, condition, &mut guards);
            value = a;
        }
        let own = match graph.op(value) {
            Op::Load { guarded: true, .. } => graph.args(value).last().map(|&guard| graph.conjuncts(guard)),
            _ => None,
        };
        let own = own.unwrap_or_default();
        (graph.is_clipped_load(value) && guards.iter().all(|guard| own.contains(guard))).then_some(value)
    }

    /// True if the group reads through an index of several axes.
    fn is_window(&self, graph: &Graph) -> bool {
        let roots: Vec<NodeId> = self.product.factors.iter().map(|&(id, _)| id).collect();
        graph.reachable(&roots).into_iter().any(|id| {
            matches!(graph.op(id), Op::Load { .. })
                && load_index(graph, id).iter().any(|&arg| graph.axes(arg).len() > 1)
        })
    }
}

/// The group that a smaller factor or a guard joins.
fn choose<'a>(
    graph: &Graph,
    contractions: &Contractions,
    groups: &'a mut [Group],
    id: NodeId,
) -> Option<&'a mut Group> {
    let fits = |group: &Group| graph.axes(id).is_subset(&group.axes);
    let bare: Vec<bool> = groups.iter().map(|group| group.is_bare(graph, contractions)).collect();
    let position = (0..groups.len()).find(|&position| fits(&groups[position]) && !bare[position]);
    let position = position.or_else(|| (0..groups.len()).find(|&position| fits(&groups[position])));
    position.map(|position| &mut groups[position])
}

impl Product {
    /// The factors and guards that satisfy `leaves`, with the sign, which costs nothing there, and the others.
    fn split(self, leaves: impl Fn(NodeId) -> bool) -> (Self, Self) {
        let (out, inside) = self.factors.into_iter().partition(|&(id, _)| leaves(id));
        let (guards_out, guards_inside) = self.guards.into_iter().partition(|&id| leaves(id));
        let out = Product { factors: out, guards: guards_out, negative: self.negative };
        (out, Product { factors: inside, guards: guards_inside, negative: false })
    }

    /// The product as an expression, without its sign.
    fn value(&self, graph: &mut Graph) -> NodeId {
        let start = self.factors.iter().position(|&(_, power)| power == 1).unwrap_or(0);
        let (first, power) = self.factors[start];
        let mut value = powered(graph, first, power);
        for (position, &(id, power)) in self.factors.iter().enumerate() {
            if position != start {
                value = scaled(graph, value, id, power);
            }
        }
        guarded(graph, value, &self.guards)
    }

    /// `value` times the product.
    fn times(&self, graph: &mut Graph, mut value: NodeId) -> NodeId {
        for &(id, power) in &self.factors {
            value = scaled(graph, value, id, power);
        }
        if self.negative {
            value = graph.unary(Unary::Neg, value);
        }
        guarded(graph, value, &self.guards)
    }
}

/// `value * id^power`.
fn scaled(graph: &mut Graph, value: NodeId, id: NodeId, power: i32) -> NodeId {
    let factor = powered(graph, id, power.abs());
    graph.binary(if power > 0 { Binary::Mul } else { Binary::Div }, value, factor)
}

/// `id^power`.
fn powered(graph: &mut Graph, id: NodeId, power: i32) -> NodeId {
    let ty = graph.ty(id);
    match power {
        1 => id,
        _ => graph.intern(Op::Product { powers: vec![power] }, vec![id], ty),
    }
}

/// `if guards { value } else { 0 }`.
fn guarded(graph: &mut Graph, value: NodeId, guards: &[NodeId]) -> NodeId {
    let Some((&first, rest)) = guards.split_first() else { return value };
    let condition = rest.iter().fold(first, |all, &guard| graph.binary(Binary::And, all, guard));
    let zero = graph.float(0.0, graph.ty(value));
    graph.select(condition, value, zero)
}

/// The operands of a conjunction, outer first.
pub(super) fn conjuncts(graph: &Graph, condition: NodeId, found: &mut Vec<NodeId>) {
    match graph.op(condition) {
        Op::Binary(Binary::And) => graph.args(condition).iter().for_each(|&arg| conjuncts(graph, arg, found)),
        _ if found.contains(&condition) => {}
        _ => found.push(condition),
    }
}

/// True for the constant 0.
pub(super) fn is_zero(graph: &Graph, id: NodeId) -> bool {
    match graph.op(id) {
        Op::Const(Literal::Float(bits)) => f64::from_bits(*bits) == 0.0,
        Op::Const(Literal::Int(value)) => *value == 0,
        _ => false,
    }
}
