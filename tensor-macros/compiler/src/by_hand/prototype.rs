//! Finding and reading one `extern "C" __global__ void name(const float* x, ..)` in CUDA C.

/// What stands before the body of a `__global__` function.
#[derive(Debug)]
pub(super) struct Prototype {
    pub params: Vec<Param>,
    /// The line of its name, from 1.
    pub line: usize,
}

/// A parameter of a prototype.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Param {
    /// As written, without line breaks.
    pub text: String,
    /// Empty if it has none.
    pub name: String,
    /// The words of its type, `unsigned char`, without qualifiers.
    pub ty: String,
    /// What it points at is `const`.
    pub constant: bool,
    /// Stars.
    pub pointers: usize,
    /// Line of its first token, from 1.
    pub line: usize,
}

/// Why there is no prototype.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// No function of this name; those that there are.
    Missing(Vec<String>),
    /// The function at this line is no kernel.
    NotGlobal(usize),
    /// The name of the function at this line is mangled.
    NotExternC(usize),
    /// The parameter list that begins at this line does not end.
    Unfinished(usize),
}

impl Fault {
    /// The message, for an error at the name of the entry.
    pub fn message(&self, file: &str, entry: &str) -> String {
        match self {
            Fault::Missing(others) => {
                let help = match &others[..] {
                    [] => format!("write it there: `extern \"C\" __global__ void {entry}(..)`"),
                    others => format!("it defines `{}`", others.join("`, `")),
                };
                format!("file `{file}` has no entry `{entry}`\nhelp: {help}")
            }
            Fault::NotGlobal(line) => {
                format!(
                    "`{entry}` at {file}:{line} is no kernel\nhelp: write `extern \"C\" __global__ void {entry}(..)`"
                )
            }
            Fault::NotExternC(line) => format!(
                "`{entry}` at {file}:{line} has no C name, and cannot be found by it\nhelp: write `extern \"C\" __global__ void {entry}(..)`"
            ),
            Fault::Unfinished(line) => {
                format!("the parameters of `{entry}` at {file}:{line} do not end\nhelp: close them with `)`")
            }
        }
    }
}

/// A token: a word, a piece of text in quotes, or one sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Token<'a> {
    text: &'a str,
    line: usize,
}

/// The prototype of an entry.
pub(super) fn find(text: &str, entry: &str) -> Result<Prototype, Fault> {
    let tokens = tokens(text);
    let names: Vec<usize> = (1..tokens.len().saturating_sub(1))
        .filter(|&place| is_word(tokens[place].text) && tokens[place + 1].text == "(" && is_declared(&tokens, place))
        .collect();
    let is_kernel = |&place: &usize| declaration(&tokens, place).iter().any(|token| token.text == "__global__");
    let Some(&place) = names.iter().find(|&&place| tokens[place].text == entry) else {
        let kernels = names.iter().copied().filter(is_kernel).map(|place| tokens[place].text.to_owned());
        return Err(Fault::Missing(kernels.collect()));
    };
    let line = tokens[place].line;
    if !is_kernel(&place) {
        return Err(Fault::NotGlobal(line));
    }
    if !is_extern_c(&tokens, place) {
        return Err(Fault::NotExternC(line));
    }
    let params = params(&tokens[place + 2..]).ok_or(Fault::Unfinished(line))?;
    Ok(Prototype { params, line })
}

/// True if the word at `place`, which a parenthesis follows, is a function that returns nothing, and is not called there.
fn is_declared(tokens: &[Token<'_>], place: usize) -> bool {
    // `__launch_bounds__(256)` is followed by the name.
    let end = tokens[place..].iter().position(|token| token.text == ")").map(|end| place + end + 1);
    let ends = end.and_then(|end| tokens.get(end)).is_none_or(|next| matches!(next.text, "{" | ";"));
    ends && declaration(tokens, place).iter().any(|token| token.text == "void")
}

/// What stands before the name in its declaration.
fn declaration<'t, 'a>(tokens: &'t [Token<'a>], place: usize) -> &'t [Token<'a>] {
    let start = tokens[..place].iter().rposition(|token| matches!(token.text, ";" | "{" | "}"));
    &tokens[start.map_or(0, |start| start + 1)..place]
}

/// True if the declaration says `extern "C"`, or stands in a block that does.
fn is_extern_c(tokens: &[Token<'_>], place: usize) -> bool {
    let says = |pair: &[Token<'_>]| pair[0].text == "extern" && pair[1].text == "\"C\"";
    if declaration(tokens, place).windows(2).any(says) {
        return true;
    }
    let mut open: Vec<bool> = Vec::new();
    for (position, token) in tokens[..place].iter().enumerate() {
        match token.text {
            "{" => open.push(position >= 2 && says(&tokens[position - 2..position])),
            "}" => drop(open.pop()),
            _ => {}
        }
    }
    open.contains(&true)
}

/// The parameters up to the closing parenthesis; `None` if there is none.
fn params(tokens: &[Token<'_>]) -> Option<Vec<Param>> {
    let end = tokens.iter().position(|token| token.text == ")")?;
    let list = &tokens[..end];
    if list.is_empty() || (list.len() == 1 && list[0].text == "void") {
        return Some(Vec::new());
    }
    Some(list.split(|token| token.text == ",").map(param).collect())
}

/// `const float* __restrict__ x`
fn param(tokens: &[Token<'_>]) -> Param {
    let star = tokens.iter().position(|token| token.text == "*").unwrap_or(tokens.len());
    let is_qualifier = |text: &str| matches!(text, "const" | "volatile" | "__restrict__" | "__restrict" | "restrict");
    // After the stars stand qualifiers of the pointer, and the name; without a star the name is the last word of several.
    let (before, after) = tokens.split_at(star);
    let mut words: Vec<&str> =
        before.iter().map(|token| token.text).filter(|text| is_word(text) && !is_qualifier(text)).collect();
    let after: Vec<&str> =
        after.iter().map(|token| token.text).filter(|text| is_word(text) && !is_qualifier(text)).collect();
    let is_pointer = star < tokens.len();
    let name = match (is_pointer, after.last()) {
        (true, name) => name.copied(),
        (false, _) if words.len() > 1 => words.pop(),
        (false, _) => None,
    };
    Param {
        text: tokens.iter().fold(String::new(), |text, token| spaced(text, token.text)),
        name: name.unwrap_or_default().to_owned(),
        ty: words.join(" "),
        constant: before.iter().any(|token| token.text == "const"),
        pointers: tokens.iter().filter(|token| token.text == "*").count(),
        line: tokens.first().map_or(0, |token| token.line),
    }
}

/// `const float* x` from its tokens.
fn spaced(mut text: String, token: &str) -> String {
    if !text.is_empty() && token != "*" {
        text.push(' ');
    }
    text + token
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// The tokens, without comments and lines of the preprocessor.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (text, 1);
    let mut starts_line = true;
    while let Some(first) = rest.chars().next() {
        let is_directive = first == '#' && starts_line;
        let length = match first {
            '\n' => 1,
            _ if first.is_whitespace() => first.len_utf8(),
            _ if is_directive => directive(rest),
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            _ if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            '"' | '\'' => quoted(rest, first),
            _ if first.is_alphanumeric() || first == '_' => {
                rest.find(|next: char| !next.is_alphanumeric() && next != '_').unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let is_comment = token.starts_with("//") || token.starts_with("/*");
        if !first.is_whitespace() && !is_comment && !is_directive {
            tokens.push(Token { text: token, line });
            starts_line = false;
        }
        if token.contains('\n') {
            starts_line = true;
            line += token.matches('\n').count();
        }
        rest = after;
    }
    tokens
}

/// The length of a line of the preprocessor, which a backslash continues.
fn directive(text: &str) -> usize {
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    end
}

/// The length of a text in quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return place + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}
