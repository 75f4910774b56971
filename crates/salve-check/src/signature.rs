//! Which error it is, wherever it appears next.
//!
//! In: diagnostics, or the text of a tool. Out: three signatures: exact (this error with its names),
//! shape (names numbered) and class (the key of learned rules); for a whole run those of the set of
//! its primary diagnostics. Never depends on paths, lines, columns, times or the order of the output.

mod canonical;
mod digest;
mod language;
mod lexer;
mod message;
mod normalise;
mod primary;
mod summary;
mod unknown;

pub use canonical::{CanonicalForms, canonical};
pub use digest::{Digest, Signature};
pub use message::message_quotes;
pub use normalise::normalise;
pub use primary::{primary_diagnostics, without_consequences};
pub use summary::summary;

pub(crate) use normalise::plain;

use crate::console::parse_console;
use canonical::VERSION;
use salve_types::Diagnostic;

/// A diagnostic and its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedDiagnostic {
    /// What was said.
    pub diagnostic: Diagnostic,
    /// Which error it is.
    pub signature: Signature,
}

/// The signatures of a whole output.
#[must_use]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatures {
    /// Of the run: the set of the signatures of its primary diagnostics.
    pub run: Signature,
    /// The primary diagnostics, in the order of the output.
    pub primary: Vec<SignedDiagnostic>,
}

/// Signs one diagnostic.
pub fn sign(diagnostic: &Diagnostic) -> Signature {
    let forms = canonical(diagnostic);
    Signature {
        exact: Digest::of(&forms.exact),
        shape: Digest::of(&forms.shape),
        class: Digest::of(&forms.class),
    }
}

/// Signs what a tool printed; `tool` helps to read a text that does not say whose it is.
pub fn sign_text(tool: Option<&str>, text: &str) -> Signatures {
    let mut diagnostics = parse_console(tool, text);
    if diagnostics.is_empty() {
        diagnostics = unknown::diagnostics(tool, text);
    }
    sign_run(diagnostics)
}

/// Signs the diagnostics of one run: causes count, what follows from them does not.
pub fn sign_run(diagnostics: Vec<Diagnostic>) -> Signatures {
    let primary: Vec<SignedDiagnostic> = primary_diagnostics(diagnostics)
        .into_iter()
        .map(|diagnostic| SignedDiagnostic { signature: sign(&diagnostic), diagnostic })
        .collect();
    let set = |form: &str, pick: fn(&Signature) -> Digest| {
        run_digest(form, primary.iter().map(|signed| pick(&signed.signature)).collect())
    };
    let run = Signature {
        exact: set("exact", |signature| signature.exact),
        shape: set("shape", |signature| signature.shape),
        class: set("class", |signature| signature.class),
    };
    Signatures { run, primary }
}

// One diagnostic is its own run; several are the hash of their sorted set.
fn run_digest(form: &str, mut digests: Vec<Digest>) -> Digest {
    digests.sort_unstable();
    digests.dedup();
    if let [only] = digests[..] {
        return only;
    }
    let mut text = format!("{VERSION} run {form}\n");
    text.reserve(65 * digests.len());
    for digest in &digests {
        digest.write(&mut text);
        text.push('\n');
    }
    Digest::of(&text)
}

#[cfg(test)]
mod tests;
