//! Tests of the signatures.
