//! Omissions: places where a text stands for more than it says.
//!
//! In: a text and its language. Out: findings for "rest of the code unchanged", for merge conflict
//! markers and for line numbers copied from a listing. Never changes the text.

use salve_types::{Finding, Language};

/// Finds the places where a text stands for more than it says.
pub fn find_omissions(_text: &str, _language: Language) -> Vec<Finding> {
    Vec::new()
}
