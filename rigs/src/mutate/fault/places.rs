//! Other readings of a document with one fault, at the price of one mark.
//!
//! In: the broken tokens. Out: the values of every sound document that one more or one less
//! structural mark gives. Never more than a few hundred tokens are tried.

use crate::mutate::style::token;
use crate::mutate::token::{Mark, Shape, Token, build};
use serde_json::Value;

const MOST: usize = 400;

/// Returns every reading that one mark gives.
pub(super) fn near(tokens: &[Token], trailing: bool) -> Vec<Value> {
    let loud: Vec<Token> = tokens.iter().filter(|token| !token.is_silent()).cloned().collect();
    if loud.len() > MOST {
        return Vec::new();
    }
    let mut readings = Vec::new();
    let mut add = |tokens: &[Token]| {
        if let Some(value) = build(tokens, trailing).filter(|value| !readings.contains(value)) {
            readings.push(value);
        }
    };
    let marks = [
        Mark::Open(Shape::Object),
        Mark::Close(Shape::Object),
        Mark::Open(Shape::Array),
        Mark::Close(Shape::Array),
        Mark::Comma,
        Mark::Colon,
    ];
    for at in 0..=loud.len() {
        let mut trial = loud.clone();
        for mark in &marks {
            trial.insert(at, token(mark.clone(), ""));
            add(&trial);
            trial.remove(at);
        }
        if loud.get(at).is_some_and(Token::is_structure) {
            trial.remove(at);
            add(&trial);
        }
    }
    readings
}
