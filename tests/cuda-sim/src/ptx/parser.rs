//! Tokens to a syntax tree.

mod body;

use std::collections::HashMap;

use super::PtxError;
use super::lexer::{self, Kind, Token};
use super::syntax::{Function, Initial, Module, StateSpace, Type, Variable};

/// Reads a module.
///
/// # Errors
/// Fails at the first directive or form that is not known.
pub(crate) fn parse(text: &str) -> Result<Module, PtxError> {
    let mut parser = Parser { tokens: lexer::tokens(text)?, at: 0, scopes: Vec::new(), scopes_opened: 0 };
    let mut module = Module::default();
    parser.module(&mut module)?;
    Ok(module)
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
    /// The braces around the current place inside a function body, the outermost first.
    scopes: Vec<Scope>,
    /// Inner scopes of the current function so far, for suffixes.
    scopes_opened: u32,
}

/// Names declared between braces, with what they are renamed to.
#[derive(Default)]
struct Scope {
    names: HashMap<String, String>,
    suffix: String,
}

type Parsed<T> = Result<T, PtxError>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Kind<'a> {
        self.tokens[self.at].kind
    }

    fn line(&self) -> u32 {
        self.tokens[self.at].line
    }

    fn next(&mut self) -> Kind<'a> {
        let kind = self.peek();
        if kind != Kind::End {
            self.at += 1;
        }
        kind
    }

    fn eat(&mut self, symbol: char) -> bool {
        let found = self.peek() == Kind::Symbol(symbol);
        if found {
            self.at += 1;
        }
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Kind::Word(word);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, symbol: char) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.refuse(&format!("expected `{symbol}`"))) }
    }

    fn word(&mut self) -> Parsed<&'a str> {
        match self.peek() {
            Kind::Word(word) => {
                self.at += 1;
                Ok(word)
            }
            _ => Err(self.refuse("expected a name")),
        }
    }

    fn int(&mut self) -> Parsed<i64> {
        let negative = self.eat('-');
        match self.peek() {
            Kind::Int(value) => {
                self.at += 1;
                Ok(if negative { (value as i64).wrapping_neg() } else { value as i64 })
            }
            _ => Err(self.refuse("expected an integer")),
        }
    }

    fn size(&mut self) -> Parsed<usize> {
        let at = self.at;
        let size = self.int()?;
        usize::try_from(size).map_err(|_| {
            self.at = at;
            self.refuse("expected a size")
        })
    }

    /// Refuses the token at hand.
    fn refuse(&self, reason: &str) -> PtxError {
        let text = match self.peek() {
            Kind::Word(word) => word.to_owned(),
            Kind::Int(value) => value.to_string(),
            Kind::Float32(bits) => format!("0f{bits:08X}"),
            Kind::Float64(bits) => format!("0d{bits:016X}"),
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Symbol(symbol) => symbol.to_string(),
            Kind::End => "end of text".to_owned(),
        };
        PtxError::new(self.line(), text, reason)
    }

    fn module(&mut self, module: &mut Module) -> Parsed<()> {
        loop {
            match self.peek() {
                Kind::End => return Ok(()),
                Kind::Word(".version") => {
                    self.at += 1;
                    module.version = self.version()?;
                }
                Kind::Word(".target") => {
                    self.at += 1;
                    module.target = self.word()?.to_owned();
                    while self.eat(',') {
                        let option = self.word()?;
                        if option != "debug" {
                            self.at -= 1;
                            return Err(self.refuse("a target option that is not known"));
                        }
                    }
                }
                Kind::Word(".address_size") => {
                    self.at += 1;
                    if self.int()? != 64 {
                        self.at -= 1;
                        return Err(self.refuse("addresses must have 64 bits"));
                    }
                }
                Kind::Word(".file") => {
                    self.at += 1;
                    let number = self.size()? as u32;
                    let Kind::Text(name) = self.next() else { return Err(self.refuse("expected the name of a file")) };
                    module.files.insert(number, name.to_owned());
                    while self.eat(',') {
                        self.int()?;
                    }
                }
                Kind::Word(".section") => self.section()?,
                _ => self.item(module)?,
            }
        }
    }

    /// `8.8`: two numbers and a word `.` in between, as the lexer sees them.
    fn version(&mut self) -> Parsed<(u32, u32)> {
        let major = self.size()? as u32;
        let minor = self.word()?.strip_prefix('.').and_then(|minor| minor.parse().ok());
        minor.map(|minor| (major, minor)).ok_or_else(|| {
            self.at -= 1;
            self.refuse("expected a version")
        })
    }

    /// Debug information, which the simulator does not read.
    fn section(&mut self) -> Parsed<()> {
        while !self.eat('{') {
            if self.next() == Kind::End {
                return Err(self.refuse("expected a section"));
            }
        }
        while !self.eat('}') {
            if self.next() == Kind::End {
                return Err(self.refuse("a section without an end"));
            }
        }
        Ok(())
    }

    /// A variable or a function.
    fn item(&mut self, module: &mut Module) -> Parsed<()> {
        let mut is_extern = false;
        loop {
            match self.peek() {
                Kind::Word(".extern") => is_extern = true,
                Kind::Word(".visible" | ".weak" | ".common") => {}
                _ => break,
            }
            self.at += 1;
        }
        match self.peek() {
            Kind::Word(".entry") => {
                self.at += 1;
                let function = self.function(true)?;
                define(module, function);
            }
            Kind::Word(".func") => {
                self.at += 1;
                let function = self.function(false)?;
                define(module, function);
            }
            Kind::Word(".global" | ".const" | ".shared") => {
                let variables = self.variables(is_extern)?;
                module.variables.extend(variables);
            }
            _ => return Err(self.refuse("a directive that is not known")),
        }
        Ok(())
    }

    fn function(&mut self, is_kernel: bool) -> Parsed<Function> {
        self.scopes.clear();
        self.scopes_opened = 0;
        let results = if !is_kernel && self.peek() == Kind::Symbol('(') { self.parameters()? } else { Vec::new() };
        let name = self.word()?.to_owned();
        let parameters = if self.peek() == Kind::Symbol('(') { self.parameters()? } else { Vec::new() };
        let mut max_threads = None;
        loop {
            match self.peek() {
                Kind::Word(".maxntid" | ".reqntid") => {
                    self.at += 1;
                    let mut threads = self.size()?;
                    while self.eat(',') {
                        threads *= self.size()?;
                    }
                    max_threads = Some(threads as u32);
                }
                Kind::Word(".minnctapersm" | ".maxnreg" | ".maxclusterrank") => {
                    self.at += 1;
                    self.int()?;
                }
                Kind::Word(".noreturn") => self.at += 1,
                Kind::Symbol(';') => {
                    self.at += 1;
                    return Ok(Function { name, is_kernel, results, parameters, body: None, max_threads });
                }
                Kind::Symbol('{') => {
                    let body = Some(self.body()?);
                    return Ok(Function { name, is_kernel, results, parameters, body, max_threads });
                }
                _ => return Err(self.refuse("a directive of functions that is not known")),
            }
        }
    }

    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        self.expect('(')?;
        let mut parameters = Vec::new();
        while !self.eat(')') {
            parameters.extend(self.declarators(StateSpace::Param, false, true)?);
            self.eat(',');
        }
        Ok(parameters)
    }

    fn state_space(&mut self) -> Parsed<StateSpace> {
        let space = match self.peek() {
            Kind::Word(".global") => StateSpace::Global,
            Kind::Word(".const") => StateSpace::Const,
            Kind::Word(".shared") => StateSpace::Shared,
            Kind::Word(".local") => StateSpace::Local,
            Kind::Word(".param") => StateSpace::Param,
            _ => return Err(self.refuse("expected a state space")),
        };
        self.at += 1;
        Ok(space)
    }

    /// `.global .align 4 .b8 table[12] = {0, 1};`
    fn variables(&mut self, is_extern: bool) -> Parsed<Vec<Variable>> {
        let space = self.state_space()?;
        let variables = self.declarators(space, is_extern, false)?;
        self.expect(';')?;
        Ok(variables)
    }

    /// What follows the state space, or for a parameter begins with it.
    fn declarators(&mut self, space: StateSpace, is_extern: bool, is_parameter: bool) -> Parsed<Vec<Variable>> {
        if is_parameter && self.state_space()? != space {
            self.at -= 1;
            return Err(self.refuse("expected `.param`"));
        }
        let mut align = None;
        let mut ty = None;
        let mut lanes = 1;
        let mut of_pointee = false;
        while let Kind::Word(word) = self.peek()
            && let Some(word) = word.strip_prefix('.')
        {
            self.at += 1;
            match word {
                // After `.ptr` stand the space and alignment of what is pointed to.
                "ptr" if is_parameter => of_pointee = true,
                "global" | "const" | "shared" | "local" if of_pointee => {}
                "align" if of_pointee => _ = self.size()?,
                "align" => align = Some(self.size()?),
                "v2" => lanes = 2,
                "v4" => lanes = 4,
                "attribute" => {
                    self.at -= 1;
                    return Err(self.refuse("attributes of variables are not known"));
                }
                _ => match Type::parse(word) {
                    Some(found) => ty = Some(found),
                    None => {
                        self.at -= 1;
                        return Err(self.refuse("a directive of variables that is not known"));
                    }
                },
            }
        }
        let Some(ty) = ty else { return Err(self.refuse("expected a type")) };
        let mut variables = Vec::new();
        loop {
            let line = self.line();
            let name = self.word()?.to_owned();
            let (mut count, mut unsized_array) = (lanes, false);
            while self.eat('[') {
                if self.eat(']') {
                    unsized_array = true;
                } else {
                    count *= self.size()?;
                    self.expect(']')?;
                }
            }
            let initial = if self.eat('=') { self.initial(ty)? } else { Vec::new() };
            if unsized_array {
                count = initial.iter().map(Initial::bytes).sum::<usize>() / ty.bytes();
            }
            let name = self.declare(&name);
            let dynamic = is_extern && unsized_array && space == StateSpace::Shared;
            let align = align.unwrap_or(ty.bytes() * lanes);
            variables.push(Variable { name, space, align, bytes: count * ty.bytes(), initial, dynamic, line });
            if is_parameter || !self.eat(',') {
                return Ok(variables);
            }
        }
    }

    fn initial(&mut self, ty: Type) -> Parsed<Vec<Initial>> {
        if self.eat('{') {
            let mut parts = Vec::new();
            while !self.eat('}') {
                parts.extend(self.initial(ty)?);
                self.eat(',');
            }
            return Ok(parts);
        }
        if let Kind::Word(word) = self.peek() {
            self.at += 1;
            // `generic(x)` is the generic address of `x`, which is its address here.
            let name = if word == "generic" {
                self.expect('(')?;
                let name = self.word()?;
                self.expect(')')?;
                name
            } else {
                word
            };
            let offset = if self.eat('+') { self.int()? } else { 0 };
            return Ok(vec![Initial::Address { name: name.to_owned(), offset }]);
        }
        let bytes = match self.peek() {
            Kind::Float32(bits) => u64::from(bits),
            Kind::Float64(bits) => bits,
            _ => self.int()? as u64,
        };
        if matches!(self.peek(), Kind::Float32(_) | Kind::Float64(_)) {
            self.at += 1;
        }
        Ok(vec![Initial::Bytes(bytes.to_le_bytes()[..ty.bytes()].to_vec())])
    }

    /// Declares a name in the innermost braces, and gives what it is called from now on.
    fn declare(&mut self, name: &str) -> String {
        // The outermost scope of a body, and what stands outside any, keep their names.
        match self.scopes.last_mut() {
            Some(scope) if !scope.suffix.is_empty() => {
                let renamed = format!("{name}{}", scope.suffix);
                scope.names.insert(name.to_owned(), renamed.clone());
                renamed
            }
            _ => name.to_owned(),
        }
    }

    fn resolve(&self, name: &str) -> String {
        let found = self.scopes.iter().rev().find_map(|scope| scope.resolve(name));
        found.unwrap_or_else(|| name.to_owned())
    }

    fn open_scope(&mut self) {
        let suffix = if self.scopes.is_empty() { String::new() } else { format!("'{}", self.scopes_opened) };
        self.scopes_opened += 1;
        self.scopes.push(Scope { names: HashMap::new(), suffix });
    }
}

/// Adds a function, in the place of its declaration if there was one.
fn define(module: &mut Module, function: Function) {
    match module.functions.iter_mut().find(|known| known.name == function.name) {
        Some(known) if known.body.is_none() => *known = function,
        Some(_) => {}
        None => module.functions.push(function),
    }
}

impl Scope {
    fn resolve(&self, name: &str) -> Option<String> {
        if let Some(renamed) = self.names.get(name) {
            return Some(renamed.clone());
        }
        // A range: `%r<3>` declared the prefix `%r`.
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (prefix.len() < name.len() && self.names.contains_key(prefix)).then(|| format!("{name}{}", self.suffix))
    }
}

impl Initial {
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Address { .. } => 8,
        }
    }
}
