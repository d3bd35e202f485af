//! Bodies of functions: labels, registers, source locations, instructions and their operands.

use super::{Kind, Parsed, Parser};
use crate::ptx::syntax::{Body, Guard, Instruction, Operand, Registers, Type};

impl Parser<'_> {
    /// A body in braces, up to the last of them.
    pub(super) fn body(&mut self) -> Parsed<Body> {
        self.expect('{')?;
        self.open_scope();
        let mut body = Body::default();
        let mut source = None;
        loop {
            match self.peek() {
                Kind::Symbol('{') => {
                    self.at += 1;
                    self.open_scope();
                }
                Kind::Symbol('}') => {
                    self.at += 1;
                    self.scopes.pop();
                    if self.scopes.is_empty() {
                        return Ok(body);
                    }
                }
                Kind::Symbol(';') => self.at += 1,
                Kind::Word(".reg") => self.registers(&mut body.registers)?,
                Kind::Word(".local" | ".shared" | ".param") => {
                    let variables = self.variables(false)?;
                    body.variables.extend(variables);
                }
                Kind::Word(".loc") => source = self.location(source)?,
                Kind::Word(".pragma") => {
                    self.at += 1;
                    self.next();
                    self.expect(';')?;
                }
                Kind::Word(word) if word.starts_with('.') => {
                    return Err(self.refuse("a directive of function bodies that is not known"));
                }
                Kind::Word(word) if self.tokens[self.at + 1].kind == Kind::Symbol(':') => {
                    self.at += 2;
                    if self.eat_word(".branchtargets") {
                        let targets = self.branch_targets()?;
                        body.tables.insert(word.to_owned(), targets);
                    } else {
                        body.labels.insert(word.to_owned(), body.instructions.len());
                    }
                }
                Kind::Word(_) | Kind::Symbol('@') => {
                    let instruction = self.instruction(source)?;
                    body.instructions.push(instruction);
                }
                _ => return Err(self.refuse("expected an instruction")),
            }
        }
    }

    fn branch_targets(&mut self) -> Parsed<Vec<String>> {
        let mut targets = vec![self.word()?.to_owned()];
        while self.eat(',') {
            targets.push(self.word()?.to_owned());
        }
        self.expect(';')?;
        Ok(targets)
    }

    /// `.reg .b32 %r<20>;` or `.reg .f16 low, high;`
    fn registers(&mut self, registers: &mut Registers) -> Parsed<()> {
        self.at += 1;
        let ty = self.word()?.strip_prefix('.').and_then(Type::parse);
        let Some(ty) = ty else {
            self.at -= 1;
            return Err(self.refuse("a type of registers that is not known"));
        };
        loop {
            let name = self.word()?;
            let renamed = self.declare(name);
            if self.eat('<') {
                let count = self.size()? as u32;
                self.expect('>')?;
                registers.ranges.push((renamed, count, ty));
            } else {
                registers.single.insert(renamed, ty);
            }
            if !self.eat(',') {
                return self.expect(';');
            }
        }
    }

    /// `.loc 1 12 5, function_name x, inlined_at 1 34 3`: where the inlined text stands. Line 0 means no line, and keeps
    /// the last one.
    fn location(&mut self, before: Option<(u32, u32)>) -> Parsed<Option<(u32, u32)>> {
        self.at += 1;
        let (file, line) = (self.size()? as u32, self.size()? as u32);
        self.int()?;
        while self.eat(',') {
            match self.word()? {
                "function_name" => {
                    self.word()?;
                    if self.eat('+') {
                        self.int()?;
                    }
                }
                "inlined_at" => {
                    for _ in 0..3 {
                        self.int()?;
                    }
                }
                _ => {
                    self.at -= 1;
                    return Err(self.refuse("an attribute of `.loc` that is not known"));
                }
            }
        }
        Ok(if line == 0 { before } else { Some((file, line)) })
    }

    fn instruction(&mut self, source: Option<(u32, u32)>) -> Parsed<Instruction> {
        let line = self.line();
        let guard = if self.eat('@') {
            let negated = self.eat('!');
            let predicate = self.word()?;
            Some(Guard { predicate: self.resolve(predicate), negated })
        } else {
            None
        };
        let spelled = self.word()?;
        let mut parts = spelled.split('.').map(str::to_owned);
        let opcode = parts.next().unwrap_or_default();
        let modifiers = parts.collect();
        let mut operands = Vec::new();
        while !self.eat(';') {
            operands.push(self.operand()?);
            if !self.eat(',') && self.peek() != Kind::Symbol(';') {
                return Err(self.refuse("expected `,` or `;`"));
            }
        }
        Ok(Instruction { guard, opcode, modifiers, operands, line, source })
    }

    fn operand(&mut self) -> Parsed<Operand> {
        let operand = match self.peek() {
            Kind::Word(word) => {
                self.at += 1;
                Operand::Name(self.resolve(word))
            }
            Kind::Int(_) | Kind::Symbol('-') => Operand::Int(self.int()?),
            Kind::Float32(bits) => {
                self.at += 1;
                Operand::Float32(bits)
            }
            Kind::Float64(bits) => {
                self.at += 1;
                Operand::Float64(bits)
            }
            Kind::Symbol('!') => {
                self.at += 1;
                let name = self.word()?;
                Operand::Not(self.resolve(name))
            }
            Kind::Symbol('[') => {
                self.at += 1;
                let address = self.address()?;
                self.expect(']')?;
                address
            }
            Kind::Symbol('{') => {
                self.at += 1;
                Operand::Vector(self.operands_until('}')?)
            }
            Kind::Symbol('(') => {
                self.at += 1;
                Operand::List(self.operands_until(')')?)
            }
            _ => return Err(self.refuse("expected an operand")),
        };
        if self.eat('|') {
            let second = self.operand()?;
            return Ok(Operand::Pair(Box::new(operand), Box::new(second)));
        }
        Ok(operand)
    }

    fn operands_until(&mut self, end: char) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::new();
        while !self.eat(end) {
            operands.push(self.operand()?);
            self.eat(',');
        }
        Ok(operands)
    }

    fn address(&mut self) -> Parsed<Operand> {
        let Kind::Word(word) = self.peek() else { return Ok(Operand::Address { base: None, offset: self.int()? }) };
        self.at += 1;
        let base = Some(self.resolve(word));
        let offset = if self.eat('+') || self.peek() == Kind::Symbol('-') { self.int()? } else { 0 };
        Ok(Operand::Address { base, offset })
    }
}
