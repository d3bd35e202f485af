//! PTX text to tokens.

use super::PtxError;

/// A token and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token<'a> {
    pub kind: Kind<'a>,
    pub line: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    /// An identifier, directive, register, or opcode with its modifiers: `.reg`, `%tid.x`, `add.rn.f32`.
    Word(&'a str),
    Int(u64),
    /// Bits of a float: `0f3F800000`.
    Float32(u32),
    /// Bits of a float: `0d3FF0000000000000`.
    Float64(u64),
    Text(&'a str),
    Symbol(char),
    End,
}

/// Splits a text into tokens; the last one is [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, PtxError> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank();
        let line = lexer.line;
        let kind = lexer.token()?;
        tokens.push(Token { kind, line });
        if kind == Kind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip(&mut self, bytes: usize) -> &'a str {
        let skipped = &self.text[self.at..self.at + bytes];
        self.line += skipped.matches('\n').count() as u32;
        self.at += bytes;
        skipped
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\0']).len();
            let bytes = if blank > 0 {
                blank
            } else if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.skip(bytes);
        }
    }

    fn token(&mut self) -> Result<Kind<'a>, PtxError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Kind::End) };
        if first.is_ascii_digit() {
            return self.number();
        }
        if is_word(first) || first == '.' {
            return Ok(Kind::Word(self.skip(word_length(rest))));
        }
        if first == '"' {
            let Some(end) = rest[1..].find('"') else { return Err(self.refuse(rest, "a string without an end")) };
            return Ok(Kind::Text(self.skip(end + 2).trim_matches('"')));
        }
        if "{}()[]<>,;:@!|+-=".contains(first) {
            self.skip(1);
            return Ok(Kind::Symbol(first));
        }
        Err(self.refuse(rest, "a character that PTX does not use"))
    }

    fn number(&mut self) -> Result<Kind<'a>, PtxError> {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let text = self.skip(length);
        let lower = text.to_ascii_lowercase();
        let number = if let Some(bits) = lower.strip_prefix("0f") {
            u32::from_str_radix(bits, 16).map(Kind::Float32)
        } else if let Some(bits) = lower.strip_prefix("0d") {
            u64::from_str_radix(bits, 16).map(Kind::Float64)
        } else if let Some(digits) = lower.strip_prefix("0x") {
            u64::from_str_radix(digits.trim_end_matches('u'), 16).map(Kind::Int)
        } else if let Some(digits) = lower.strip_prefix("0b") {
            u64::from_str_radix(digits.trim_end_matches('u'), 2).map(Kind::Int)
        } else {
            lower.trim_end_matches('u').parse().map(Kind::Int)
        };
        number.map_err(|_| PtxError::new(self.line, text, "not a number"))
    }

    fn refuse(&self, rest: &str, reason: &str) -> PtxError {
        PtxError::new(self.line, rest.lines().next().unwrap_or_default().trim(), reason)
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$%".contains(c)
}

/// Bytes of the word that a text begins with. A double colon belongs to it (`.shared::cta`), a single one does not.
fn word_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b':' if bytes.get(at + 1) == Some(&b':') => at += 2,
            b'.' => at += 1,
            byte if is_word(byte as char) => at += 1,
            _ => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind<'_>> {
        tokens(text).expect("valid").into_iter().map(|token| token.kind).collect()
    }

    #[test]
    fn an_opcode_keeps_its_modifiers() {
        let expected = [Kind::Word("ld.global.L2::128B.f32"), Kind::Word("%f1"), Kind::Symbol(','), Kind::Symbol('[')];
        assert_eq!(kinds("ld.global.L2::128B.f32 %f1, [")[..4], expected);
        assert_eq!(kinds("$L__BB0_1:"), [Kind::Word("$L__BB0_1"), Kind::Symbol(':'), Kind::End]);
    }

    #[test]
    fn floats_are_their_bits() {
        let expected = [Kind::Float32(0x3f80_0000), Kind::Float64(0x4008_0000_0000_0000), Kind::Int(31), Kind::End];
        assert_eq!(kinds("0f3F800000 0d4008000000000000 0x1F"), expected);
    }

    #[test]
    fn lines_are_counted_through_comments() {
        let tokens = tokens("a // b\n/* c\n d */ e").expect("valid");
        assert_eq!((tokens[1].kind, tokens[1].line), (Kind::Word("e"), 3));
        assert_eq!(super::tokens("\n#").expect_err("no PTX").line, 2);
    }
}
