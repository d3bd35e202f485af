//! The hash-consed graph.

use std::collections::{BTreeSet, HashMap};

use super::{
    Axis, AxisId, AxisSet, Binary, Distribution, Elem, Extent, ExtentId, Literal, Op, Reduction, Source, Ty, Unary,
};

/// Index of a node in its graph; operands have smaller ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub u32);

/// One scalar expression.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// The operation.
    pub op: Op,
    /// Its operands.
    pub args: Vec<NodeId>,
    /// The type of its value.
    pub ty: Ty,
}

/// Expressions, axes and extents of one kernel.
#[derive(Clone, Default, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    free: Vec<AxisSet>,
    interned: HashMap<Node, NodeId>,
    axes: Vec<Axis>,
    extents: Vec<Extent>,
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a size class.
    pub fn add_extent(&mut self, extent: Extent) -> ExtentId {
        self.extents.push(extent);
        ExtentId(self.extents.len() as u32 - 1)
    }

    /// Replaces the source of a size class, once a later declaration has told it.
    pub fn set_extent(&mut self, id: ExtentId, extent: Extent) {
        self.extents[id.0 as usize] = extent;
    }

    /// Adds an axis.
    pub fn add_axis(&mut self, name: &str, extent: ExtentId, rest: bool) -> AxisId {
        self.axes.push(Axis { name: name.to_owned(), extent, rest });
        AxisId(self.axes.len() as u32 - 1)
    }

    /// A new axis of the same extent as `axis`, named after it.
    pub fn fresh_axis(&mut self, axis: AxisId) -> AxisId {
        let Axis { name, extent, rest } = self.axis(axis).clone();
        let mut name = format!("{name}'");
        while self.axes.iter().any(|other| other.name == name) {
            name.push('\'');
        }
        self.add_axis(&name, extent, rest)
    }

    /// An axis by id.
    pub fn axis(&self, id: AxisId) -> &Axis {
        &self.axes[id.0 as usize]
    }

    /// A size class by id.
    pub fn extent(&self, id: ExtentId) -> Extent {
        self.extents[id.0 as usize]
    }

    /// All axes in order of id.
    pub fn all_axes(&self) -> impl Iterator<Item = (AxisId, &Axis)> {
        self.axes.iter().enumerate().map(|(index, axis)| (AxisId(index as u32), axis))
    }

    /// All size classes in order of id.
    pub fn all_extents(&self) -> impl Iterator<Item = (ExtentId, Extent)> + '_ {
        self.extents.iter().enumerate().map(|(index, &extent)| (ExtentId(index as u32), extent))
    }

    /// A node by id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The operation of a node.
    pub fn op(&self, id: NodeId) -> &Op {
        &self.node(id).op
    }

    /// The operands of a node.
    pub fn args(&self, id: NodeId) -> &[NodeId] {
        &self.node(id).args
    }

    /// The type of a node.
    pub fn ty(&self, id: NodeId) -> Ty {
        self.node(id).ty
    }

    /// The free axes of a node.
    pub fn axes(&self, id: NodeId) -> &AxisSet {
        &self.free[id.0 as usize]
    }

    /// Number of nodes; ids are below it.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there is no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of this structure, made if it is new. The typed constructors below call it; rewrites that keep an
    /// operation and replace operands may call it directly.
    pub fn intern(&mut self, op: Op, args: Vec<NodeId>, ty: Ty) -> NodeId {
        let node = Node { op, args, ty };
        if let Some(&id) = self.interned.get(&node) {
            return id;
        }
        let id = NodeId(self.nodes.len() as u32);
        debug_assert!(node.args.iter().all(|&arg| arg < id), "operands precede their node");
        let mut axes: AxisSet = node.args.iter().flat_map(|&arg| self.axes(arg).iter()).collect();
        match &node.op {
            Op::Index(axis) => axes.insert(*axis),
            Op::Reduce { axes: bound, .. } => {
                let bound: AxisSet = bound.iter().copied().collect();
                debug_assert!(bound.is_subset(&axes), "a reduced axis is missing from the body");
                axes = axes.difference(&bound);
            }
            _ => {}
        }
        self.free.push(axes);
        self.nodes.push(node.clone());
        self.interned.insert(node, id);
        id
    }

    /// A float constant of type `ty`.
    pub fn float(&mut self, value: f64, ty: Ty) -> NodeId {
        self.intern(Op::Const(Literal::float(value)), vec![], ty)
    }

    /// An integer constant of type `ty`.
    pub fn int(&mut self, value: i64, ty: Ty) -> NodeId {
        self.intern(Op::Const(Literal::Int(value)), vec![], ty)
    }

    /// A boolean constant.
    pub fn bool(&mut self, value: bool) -> NodeId {
        self.intern(Op::Const(Literal::Bool(value)), vec![], Ty::Bool)
    }

    /// A scalar parameter of type `ty`.
    pub fn scalar(&mut self, position: u32, ty: Ty) -> NodeId {
        self.intern(Op::Scalar(position), vec![], ty)
    }

    /// The size of an extent.
    pub fn size(&mut self, extent: ExtentId) -> NodeId {
        self.intern(Op::Size(extent), vec![], Ty::I64)
    }

    /// The index along an axis; along `..`, the row-major position.
    pub fn index(&mut self, axis: AxisId) -> NodeId {
        self.intern(Op::Index(axis), vec![], Ty::I64)
    }

    /// A load; `index` has one operand per declared axis.
    pub fn load(&mut self, source: Source, mut index: Vec<NodeId>, guard: Option<NodeId>, ty: Ty) -> NodeId {
        index.extend(guard);
        self.intern(Op::Load { source, guarded: guard.is_some() }, index, ty)
    }

    /// A load at the array's own axes.
    pub fn load_own(&mut self, source: Source, axes: &[AxisId], ty: Ty) -> NodeId {
        let index = axes.iter().map(|&axis| self.index(axis)).collect();
        self.load(source, index, None, ty)
    }

    /// The indices of a load, without its guard.
    pub fn load_index(&self, load: NodeId) -> &[NodeId] {
        let args = self.args(load);
        match self.op(load) {
            Op::Load { guarded: true, .. } => &args[..args.len() - 1],
            _ => args,
        }
    }

    /// A reduction of `body` over `axes`, all of which the body has.
    pub fn reduce(&mut self, op: Reduction, axes: Vec<AxisId>, body: NodeId) -> NodeId {
        let ty = match op {
            Reduction::ArgMax | Reduction::ArgMin => Ty::I64,
            Reduction::Sum | Reduction::Prod if self.ty(body).is_integer() => Ty::I64,
            _ => self.ty(body),
        };
        self.intern(Op::Reduce { op, axes }, vec![body], ty)
    }

    /// A function of one operand.
    pub fn unary(&mut self, op: Unary, x: NodeId) -> NodeId {
        let ty = match op {
            Unary::IsNan | Unary::IsFinite | Unary::Not => Ty::Bool,
            _ => self.ty(x),
        };
        self.intern(Op::Unary(op), vec![x], ty)
    }

    /// A function of two operands.
    pub fn binary(&mut self, op: Binary, x: NodeId, y: NodeId) -> NodeId {
        debug_assert!(op == Binary::Powi || self.ty(x) == self.ty(y), "{op:?}: {:?} {:?}", self.node(x), self.node(y));
        let ty = match op {
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => Ty::Bool,
            Binary::And | Binary::Or => Ty::Bool,
            _ => self.ty(x),
        };
        self.intern(Op::Binary(op), vec![x, y], ty)
    }

    /// `if condition { a } else { b }`.
    pub fn select(&mut self, condition: NodeId, a: NodeId, b: NodeId) -> NodeId {
        debug_assert_eq!(self.ty(a), self.ty(b));
        let ty = self.ty(a);
        self.intern(Op::Select, vec![condition, a, b], ty)
    }

    /// A random number of type `ty`.
    pub fn random(&mut self, distribution: Distribution, stream: u32, seed: NodeId, counter: NodeId, ty: Ty) -> NodeId {
        self.intern(Op::Random { distribution, stream }, vec![seed, counter], ty)
    }

    /// `value`, the sum of something over `axes`, or exactly 0 if one of them is empty. Needed where a factor was moved
    /// out of the sum: it might be infinite.
    pub fn zero_if_empty(&mut self, axes: &[AxisId], value: NodeId) -> NodeId {
        let extents: BTreeSet<ExtentId> = axes.iter().map(|&axis| self.axis(axis).extent).collect();
        let zero = self.int(0, Ty::I64);
        let mut condition = None;
        for extent in extents {
            if matches!(self.extent(extent), Extent::Literal(1..)) {
                continue;
            }
            let size = self.size(extent);
            let nonempty = self.binary(Binary::Gt, size, zero);
            condition = Some(condition.map_or(nonempty, |all| self.binary(Binary::And, all, nonempty)));
        }
        let Some(condition) = condition else { return value };
        let zero = self.float(0.0, self.ty(value));
        self.select(condition, value, zero)
    }

    /// Rust's `as`, widened to the element's computing type.
    pub fn cast(&mut self, elem: Elem, x: NodeId) -> NodeId {
        self.intern(Op::Cast(elem), vec![x], elem.ty())
    }

    /// `x` as a value of type `ty`, never rounded to half.
    pub fn convert(&mut self, ty: Ty, x: NodeId) -> NodeId {
        match self.ty(x) == ty {
            true => x,
            false => self.intern(Op::Convert(ty), vec![x], ty),
        }
    }

    /// The value of an `f64` constant, if the node is one.
    pub fn as_float(&self, id: NodeId) -> Option<f64> {
        match self.op(id) {
            Op::Const(Literal::Float(bits)) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// True for a constant by which 0 can be multiplied and divided in any float type.
    pub fn keeps_zero(&self, id: NodeId) -> bool {
        let range = f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX);
        self.as_float(id).is_some_and(|value| range.contains(&value.abs()))
    }

    /// True for the constant 0 of a number type; not for the float -0.
    pub fn is_zero(&self, id: NodeId) -> bool {
        matches!(self.op(id), Op::Const(Literal::Float(0) | Literal::Int(0)))
    }

    /// The axis, if the node is a bare index.
    pub fn as_index(&self, id: NodeId) -> Option<AxisId> {
        match self.op(id) {
            Op::Index(axis) => Some(*axis),
            _ => None,
        }
    }

    /// Every node reachable from `roots`, operands before users.
    pub fn reachable(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut stack = roots.to_vec();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut seen[id.0 as usize], true) {
                stack.extend(self.args(id));
            }
        }
        (0..self.nodes.len() as u32).map(NodeId).filter(|id| seen[id.0 as usize]).collect()
    }

    /// Checks the module's invariants.
    ///
    /// # Panics
    /// If one is broken, which is a bug of the compiler.
    pub fn verify(&self) {
        for (index, node) in self.nodes.iter().enumerate() {
            let id = NodeId(index as u32);
            assert_eq!(self.interned.get(node), Some(&id), "equal structure is the same id: {node:?}");
            assert!(node.args.iter().all(|&arg| arg < id), "operands precede their node: {node:?}");
            match &node.op {
                Op::Load { guarded, .. } => {
                    let (guard, index) = match guarded {
                        true => node.args.split_last().map(|(guard, index)| (Some(*guard), index)).unwrap(),
                        false => (None, &node.args[..]),
                    };
                    assert!(index.iter().all(|&arg| self.ty(arg) == Ty::I64), "an index is I64: {node:?}");
                    assert!(guard.is_none_or(|guard| self.ty(guard) == Ty::Bool), "a guard is Bool: {node:?}");
                }
                Op::Reduce { axes, .. } => {
                    let body = self.axes(node.args[0]);
                    assert!(axes.iter().all(|&axis| body.contains(axis)), "a bound axis is in the body: {node:?}");
                }
                Op::Select => {
                    assert_eq!(self.ty(node.args[0]), Ty::Bool, "a condition is Bool: {node:?}");
                    assert_eq!(self.ty(node.args[1]), self.ty(node.args[2]), "both branches share a type: {node:?}");
                }
                Op::Random { .. } => {
                    assert_eq!(
                        [0, 1].map(|arg| self.ty(node.args[arg])),
                        [Ty::U64, Ty::I64],
                        "seed and counter: {node:?}"
                    );
                    assert!(node.ty.is_float(), "a random number is a float: {node:?}");
                }
                Op::Sum { coefficients } => assert_eq!(coefficients.len(), node.args.len(), "{node:?}"),
                Op::Product { powers } => {
                    assert_eq!(powers.len(), node.args.len(), "{node:?}");
                    assert!(powers.iter().all(|&power| power != 0), "{node:?}");
                }
                _ => {}
            }
        }
    }
}
