//! Graphs.
