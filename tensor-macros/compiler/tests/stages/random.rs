//! Random numbers and random kernels, the same in every run.

/// A small generator of numbers (xorshift).
pub struct Random(u64);

impl Random {
    /// A generator of its own sequence.
    pub fn new(seed: u64) -> Self {
        Self(0x9e37_79b9_7f4a_7c15 ^ seed.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }

    /// A number in `0..end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % end as u64) as usize
    }

    /// Multiples of one half, so that ties and zeros occur, or anything between -2 and 2.
    pub fn float(&mut self) -> f64 {
        match self.below(2) {
            0 => self.below(9) as f64 * 0.5 - 2.0,
            _ => self.below(1 << 20) as f64 / f64::from(1 << 18) - 2.0,
        }
    }

    fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }
}

/// The parameters of every random kernel: name and axes.
const PARAMS: [(&str, &[char]); 6] =
    [("a", &['N', 'C']), ("b", &['C', 'K']), ("c", &['N', 'K']), ("d", &['N']), ("e", &['C']), ("f", &['K', 'N', 'C'])];

/// An expression and its free axes.
struct Expression {
    text: String,
    axes: Vec<char>,
}

/// A kernel of one or two outputs.
pub fn kernel(random: &mut Random) -> String {
    let mut lets = String::new();
    let mut known: Vec<Expression> = vec![];
    for position in 0..1 + random.below(4) {
        let Expression { text, axes } = expression(random, 3, &known);
        lets += &format!("let v{position} = {text}; ");
        known.push(Expression { text: format!("v{position}"), axes });
    }
    let params: Vec<String> = PARAMS.iter().map(|(name, axes)| format!("{name}: &Tensor[{}]", list(axes))).collect();
    let results: Vec<Expression> = (0..1 + random.below(2)).map(|_| expression(random, 2, &known)).collect();
    let types: Vec<String> = results.iter().map(|result| format!("Tensor[{}]", list(&result.axes))).collect();
    let values: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    let (types, values) = match results.len() {
        1 => (types.concat(), values.concat()),
        _ => (format!("({})", types.join(", ")), format!("({})", values.join(", "))),
    };
    format!("fn k({}) -> {types} {{ {lets}{values} }}", params.join(", "))
}

fn list(axes: &[char]) -> String {
    axes.iter().map(char::to_string).collect::<Vec<_>>().join(", ")
}

fn expression(random: &mut Random, depth: usize, known: &[Expression]) -> Expression {
    if depth == 0 || random.below(8) == 0 {
        return match known {
            [.., last] if random.below(3) > 0 => Expression { text: last.text.clone(), axes: last.axes.clone() },
            _ => {
                let (name, axes) = random.choose(&PARAMS);
                Expression { text: name.to_owned(), axes: axes.to_vec() }
            }
        };
    }
    match random.below(10) {
        0..=3 => {
            let body = expression(random, depth - 1, known);
            let bound: Vec<char> = body.axes.iter().copied().filter(|_| random.below(2) == 0).collect();
            let name = random.choose(&["sum", "sum", "sum", "max", "min", "mean"]);
            match bound.is_empty() {
                true => body,
                false => Expression {
                    text: format!("{name}[{}]({})", list(&bound), body.text),
                    axes: body.axes.into_iter().filter(|axis| !bound.contains(axis)).collect(),
                },
            }
        }
        4..=7 => {
            let (left, right) = (expression(random, depth - 1, known), expression(random, depth - 1, known));
            let symbol = random.choose(&["*", "*", "*", "+", "-"]);
            let mut axes = left.axes;
            axes.extend(right.axes.iter().filter(|axis| !axes.contains(axis)).copied().collect::<Vec<_>>());
            Expression { text: format!("({} {symbol} {})", left.text, right.text), axes }
        }
        8 => {
            let Expression { text, axes } = expression(random, depth - 1, known);
            let name = random.choose(&["tanh", "sin", "sigmoid", "-"]);
            Expression { text: format!("{name}({text})"), axes }
        }
        _ => {
            let Expression { text, axes } = expression(random, depth - 1, known);
            match axes[..] {
                [] => Expression { text, axes },
                [first, ..] => Expression { text: format!("(if {first} > 0 {{ {text} }} else {{ 0.0 }})"), axes },
            }
        }
    }
}
