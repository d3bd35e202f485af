//! Expressions of C with the parentheses they need.

/// How tightly an expression binds; weakest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Level {
    /// `c ? a : b`
    Select,
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==` and `<`, which do not chain.
    Compare,
    /// `+` and `-`
    Sum,
    /// `*` and `/`
    Product,
    /// `-x`, `!x` and casts
    Prefix,
    /// Names, calls, literals.
    Atom,
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    text: String,
    level: Level,
    /// Operations within it, nested ones included.
    pub weight: usize,
}

impl Expr {
    /// One that never needs parentheses.
    pub fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: Level::Atom, weight: 1 }
    }

    /// As it stands.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// As an operand of an operator that wants at least `level`.
    fn operand(self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text }
    }

    /// `self operator other`, left-associative.
    pub fn infix(self, operator: &str, other: Expr, level: Level) -> Expr {
        let tighter = match level {
            Level::Select => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Compare,
            Level::Compare => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product => Level::Prefix,
            Level::Prefix | Level::Atom => Level::Atom,
        };
        let weight = self.weight + other.weight + 1;
        let left = self.operand(if level == Level::Compare { tighter } else { level });
        let right = other.operand(tighter);
        Expr { text: format!("{left} {operator} {right}"), level, weight }
    }

    /// `operator self`; a cast is such an operator.
    pub fn prefix(self, operator: &str) -> Expr {
        let weight = self.weight + 1;
        // `- -x` would print as `--x`.
        let text = format!("{operator}{}", self.operand(Level::Atom));
        Expr { text, level: Level::Prefix, weight }
    }

    /// `function(arguments)`
    pub fn call(function: &str, arguments: impl IntoIterator<Item = Expr>) -> Expr {
        let mut weight = 1;
        let arguments = arguments.into_iter().map(|argument| {
            weight += argument.weight;
            argument.text
        });
        let arguments: Vec<String> = arguments.collect();
        Expr { text: format!("{function}({})", arguments.join(", ")), level: Level::Atom, weight }
    }

    /// `condition ? a : b`, which evaluates one branch.
    pub fn select(condition: Expr, a: Expr, b: Expr) -> Expr {
        let weight = condition.weight + a.weight + b.weight + 1;
        let (condition, a, b) = (condition.operand(Level::Or), a.operand(Level::Or), b.operand(Level::Or));
        Expr { text: format!("{condition} ? {a} : {b}"), level: Level::Select, weight }
    }
}
