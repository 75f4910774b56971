//! A written document as tokens, so that a fault knows what it breaks.
//!
//! In: tokens of a style's writer. Out: their text, the value they mean, and what a cut leaves of it.
//! Never a tolerant reader: what does not fit is `None`.

use serde_json::{Map, Value};

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    Open(Shape),
    Close(Shape),
    Comma,
    Colon,
    Key,
    Text,
    /// A number or a literal, and its value.
    Plain(Value),
    /// White space, a comment, or something else without a meaning.
    Space,
    /// Talk before or behind the document.
    Talk,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Object,
    Array,
}

/// One character of a string: as it is written, and what it means.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    pub written: String,
    pub plain: String,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    /// The same token in the whole document and in the broken one.
    pub id: usize,
    pub mark: Mark,
    /// The opening quote, or the whole text of what has no quotes.
    pub open: String,
    pub units: Vec<Unit>,
    pub close: String,
}

impl Token {
    pub(super) fn written(&self) -> String {
        let inner: String = self.units.iter().map(|unit| unit.written.as_str()).collect();
        format!("{}{inner}{}", self.open, self.close)
    }

    pub(super) fn plain(&self) -> String {
        self.units.iter().map(|unit| unit.plain.as_str()).collect()
    }

    pub(super) fn is_structure(&self) -> bool {
        matches!(self.mark, Mark::Open(_) | Mark::Close(_) | Mark::Comma | Mark::Colon)
    }

    pub(super) fn is_silent(&self) -> bool {
        matches!(self.mark, Mark::Space | Mark::Talk)
    }

    /// Whether the string is between two single quote characters, of whatever kind.
    pub(super) fn is_quoted(&self) -> bool {
        let one = |text: &str| text.chars().count() == 1 && text != "`";
        matches!(self.mark, Mark::Key | Mark::Text) && one(&self.open) && one(&self.close)
    }
}

/// The text of the tokens.
pub(super) fn text(tokens: &[Token]) -> String {
    tokens.iter().map(Token::written).collect()
}

/// Returns the value that the tokens mean; trailing commas are read where a style writes them.
pub(super) fn build(tokens: &[Token], trailing: bool) -> Option<Value> {
    let mut reader = Reader { tokens: loud(tokens), at: 0, trailing };
    let value = reader.value()?;
    (reader.at == reader.tokens.len()).then_some(value)
}

fn loud(tokens: &[Token]) -> Vec<&Token> {
    tokens.iter().filter(|token| !token.is_silent()).collect()
}

struct Reader<'a> {
    tokens: Vec<&'a Token>,
    at: usize,
    trailing: bool,
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<&'a Token> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    fn mark(&self) -> Option<&'a Mark> {
        self.tokens.get(self.at).map(|token| &token.mark)
    }

    fn value(&mut self) -> Option<Value> {
        let token = self.take()?;
        match &token.mark {
            Mark::Text => Some(Value::String(token.plain())),
            Mark::Plain(value) => Some(value.clone()),
            Mark::Open(Shape::Array) => self.items(),
            Mark::Open(Shape::Object) => self.members(),
            _ => None,
        }
    }

    fn items(&mut self) -> Option<Value> {
        let mut items = Vec::new();
        while self.mark()? != &Mark::Close(Shape::Array) {
            items.push(self.value()?);
            self.separator(Shape::Array)?;
        }
        self.at += 1;
        Some(Value::Array(items))
    }

    fn members(&mut self) -> Option<Value> {
        let mut map = Map::new();
        while self.mark()? != &Mark::Close(Shape::Object) {
            let key = self.take().filter(|token| matches!(token.mark, Mark::Key))?.plain();
            (self.take()?.mark == Mark::Colon).then_some(())?;
            let value = self.value()?;
            // Two members of one name are no reading at all.
            map.insert(key, value).is_none().then_some(())?;
            self.separator(Shape::Object)?;
        }
        self.at += 1;
        Some(Value::Object(map))
    }

    fn separator(&mut self, shape: Shape) -> Option<()> {
        let end = Mark::Close(shape);
        if self.mark()? == &Mark::Comma {
            self.at += 1;
            return (self.trailing || self.mark()? != &end).then_some(());
        }
        (self.mark()? == &end).then_some(())
    }
}

/// What a document cut inside its last token may be read as, the fullest reading first.
///
/// `last` is the token that was cut, with the units that are left of it, or nothing when the cut is
/// between two tokens.
pub(super) fn cut_readings(before: &[Token], last: Option<&Token>) -> Vec<Value> {
    let mut readings = Vec::new();
    let mut add = |tokens: Vec<Token>| {
        if let Some(value) = closed(&tokens).filter(|value| !readings.contains(value)) {
            readings.push(value);
        }
    };
    let whole = || before.to_vec();
    match last {
        None => {}
        Some(token) if matches!(token.mark, Mark::Plain(_)) => {
            // A number may end where it was cut; a literal may be completed or be left out.
            let text = token.written();
            let read = serde_json::from_str::<Value>(&text).ok();
            for value in [read, completed(&text), Some(Value::Null)].into_iter().flatten() {
                add([whole(), vec![Token { mark: Mark::Plain(value), ..token.clone() }]].concat());
            }
        }
        Some(token) => add([whole(), vec![token.clone()]].concat()),
    }
    if last.is_none_or(|token| !matches!(token.mark, Mark::Text) || token.plain().is_empty()) {
        add(whole());
        add(null_after_key(whole()));
    } else {
        add(whole());
    }
    readings
}

fn completed(text: &str) -> Option<Value> {
    let is = |word: &str| !text.is_empty() && word.starts_with(&text.to_lowercase());
    if is("true") {
        Some(Value::Bool(true))
    } else if is("false") {
        Some(Value::Bool(false))
    } else {
        None
    }
}

// A key whose value has not come yet, read as null.
fn null_after_key(mut tokens: Vec<Token>) -> Vec<Token> {
    let null = |id| Token {
        id,
        mark: Mark::Plain(Value::Null),
        open: String::new(),
        units: Vec::new(),
        close: String::new(),
    };
    let last = tokens
        .iter()
        .rev()
        .find(|token| !token.is_silent())
        .map(|token| (token.id, token.mark.clone()));
    match last {
        Some((id, Mark::Key)) => {
            tokens.push(Token { mark: Mark::Colon, ..null(id) });
            tokens.push(null(id));
        }
        Some((id, Mark::Colon)) => tokens.push(null(id)),
        _ => {}
    }
    tokens
}

// Drops what cannot end a document and closes what is open.
fn closed(tokens: &[Token]) -> Option<Value> {
    let mut tokens: Vec<Token> =
        tokens.iter().filter(|token| !token.is_silent()).cloned().collect();
    while let Some(Mark::Comma | Mark::Colon | Mark::Key) = tokens.last().map(|token| &token.mark) {
        tokens.pop();
    }
    let mut open = Vec::new();
    for token in &tokens {
        match token.mark {
            Mark::Open(shape) => open.push(shape),
            Mark::Close(_) => drop(open.pop()),
            _ => {}
        }
    }
    for shape in open.into_iter().rev() {
        tokens.push(Token {
            id: 0,
            mark: Mark::Close(shape),
            open: String::new(),
            units: Vec::new(),
            close: String::new(),
        });
    }
    build(&tokens, true)
}
