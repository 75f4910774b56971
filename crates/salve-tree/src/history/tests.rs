//! The history file and its counts.
