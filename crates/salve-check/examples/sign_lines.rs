//! Signs JSON lines `{id, tool?, text}` from standard input, as `salve signature --batch` does.
//!
//! In: lines. Out: lines `{id, exact, shape, class}`; with `--forms` the canonical texts too. It needs
//! only this crate, so that a change of the readers can be scored in seconds:
//! `score_signatures.py errors.jsonl -- target/debug/examples/sign_lines`.
#![expect(clippy::print_stdout, reason = "an example prints its result")]

use salve_check::{canonical, sign_text};
use serde_json::{Value, json};
use std::io::BufRead;

fn main() {
    let forms = std::env::args().any(|argument| argument == "--forms");
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(request) = serde_json::from_str::<Value>(&line) else { continue };
        let tool = request["tool"].as_str();
        let signed = sign_text(tool, request["text"].as_str().unwrap_or_default());
        let mut answer = json!({
            "id": request["id"],
            "exact": signed.run.exact.wire(),
            "shape": signed.run.shape.wire(),
            "class": signed.run.class.wire(),
        });
        if forms {
            let texts = |signed: &salve_check::SignedDiagnostic| {
                let forms = canonical(&signed.diagnostic);
                json!([forms.exact, forms.shape, forms.class])
            };
            answer["forms"] = signed.primary.iter().map(texts).collect();
        }
        println!("{answer}");
    }
}
