//! `salve signature`: which error it is, wherever it appears next.
//!
//! In: what a tool printed. Out: the exact, shape and class signatures of the whole, and the
//! diagnostics they were made of. Never runs a tool.

use crate::arguments::{Format, SignatureArguments};
use crate::failure::{CommandResult, Ending};
use crate::{batch, input, output};
use salve_check::{Signature, Signatures, SignedDiagnostic, canonical, sign_text, summary};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Line {
    text: String,
    tool: Option<String>,
}

/// Runs `salve signature`.
pub(crate) fn run(arguments: &SignatureArguments, format: Format) -> CommandResult {
    if arguments.batch {
        return batch::run(|line: Line| {
            let tool = line.tool.as_deref().or(arguments.tool.as_deref());
            Ok(wire(&sign_text(tool, &line.text).run))
        });
    }
    let text = input::text(arguments.file.as_deref())?;
    let signatures = sign_text(arguments.tool.as_deref(), &text);
    match format {
        Format::Human => output::result(&human(&signatures, arguments.explain))?,
        Format::Json => output::json(&document(&signatures, arguments.explain))?,
        Format::Jsonl => {
            for signed in &signatures.primary {
                output::json_line(&diagnostic(signed, arguments.explain))?;
            }
        }
    }
    Ok(Ending::Clean)
}

fn wire(signature: &Signature) -> Map<String, Value> {
    let fields = [
        ("exact", signature.exact.wire()),
        ("shape", signature.shape.wire()),
        ("class", signature.class.wire()),
    ];
    fields.into_iter().map(|(key, value)| (key.to_owned(), json!(value))).collect()
}

// The wire shows sixteen digits; a document that is kept has room for all of them.
fn document(signatures: &Signatures, explain: bool) -> Value {
    let diagnostics: Vec<Value> =
        signatures.primary.iter().map(|signed| diagnostic(signed, explain)).collect();
    let mut whole = wire(&signatures.run);
    whole.insert("full".to_owned(), full(&signatures.run));
    whole.insert("diagnostics".to_owned(), json!(diagnostics));
    Value::Object(whole)
}

fn full(signature: &Signature) -> Value {
    json!({
        "exact": signature.exact.to_string(),
        "shape": signature.shape.to_string(),
        "class": signature.class.to_string(),
    })
}

fn diagnostic(signed: &SignedDiagnostic, explain: bool) -> Value {
    let mut line = wire(&signed.signature);
    line.insert("full".to_owned(), full(&signed.signature));
    line.insert("diagnostic".to_owned(), json!(signed.diagnostic));
    if explain {
        let forms = canonical(&signed.diagnostic);
        let forms = json!({ "exact": forms.exact, "shape": forms.shape, "class": forms.class });
        line.insert("canonical".to_owned(), forms);
    }
    Value::Object(line)
}

fn human(signatures: &Signatures, explain: bool) -> String {
    let bold = anstyle::Style::new().bold();
    let mut text = String::new();
    for (name, value) in rows(&signatures.run) {
        text.push_str(&format!("{name}  {bold}{value}{bold:#}\n"));
    }
    if signatures.primary.is_empty() {
        text.push_str("\nThe text holds no error.\n");
    }
    for signed in &signatures.primary {
        text.push_str(&one(signed, explain));
    }
    text
}

fn one(signed: &SignedDiagnostic, explain: bool) -> String {
    let dim = anstyle::Style::new().dimmed();
    let said = &signed.diagnostic;
    let code = said.code.as_deref().map(|code| format!(" {code}")).unwrap_or_default();
    let message = crate::change::visible(&summary(&said.message));
    let mut text = format!("\n{}{code} ({}): {message}\n", said.tool, said.class.name());
    if let Some(line) = said.primary().and_then(|span| span.line_text.as_deref()) {
        text.push_str(&format!("  {dim}|{dim:#} {}\n", crate::change::visible(line.trim())));
    }
    for (name, value) in rows(&signed.signature) {
        text.push_str(&format!("  {name}  {value}\n"));
    }
    if explain {
        let forms = canonical(said);
        for form in [forms.exact, forms.shape, forms.class] {
            for line in form.lines() {
                text.push_str(&format!("    {dim}{}{dim:#}\n", crate::change::visible(line)));
            }
        }
    }
    text
}

fn rows(signature: &Signature) -> [(&'static str, String); 3] {
    [
        ("exact", signature.exact.wire()),
        ("shape", signature.shape.wire()),
        ("class", signature.class.wire()),
    ]
}
