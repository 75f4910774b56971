//! Modes as values of a flag.
//!
//! In: the modes a flag admits, with what each of them does there. Out: a parser for clap, which
//! also prints them in the help. Never admits another.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use salve_types::Mode;

/// What `--enforcement` does with a cut text.
pub(super) const ENFORCEMENT: [(Mode, &str); 2] =
    [(Mode::Observe, "Same verdict, exit code 0"), (Mode::Enforce, "A cut text is exit code 1")];

/// Makes the parser of a flag that admits these modes.
pub(super) fn modes(
    admitted: &'static [(Mode, &'static str)],
) -> impl TypedValueParser<Value = Mode> {
    let value = |(mode, help): &(Mode, &'static str)| PossibleValue::new(mode.name()).help(*help);
    PossibleValuesParser::new(admitted.iter().map(value))
        .map(|name| Mode::from_name(&name).unwrap_or_default())
}
