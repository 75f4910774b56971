//! What salve-check promises in one process: outputs of tools, and lines of the shell beside bash.
//!
//! One program for all of it, because each is linked on its own. What needs a program to itself, or runs
//! again as another user, has its own.

mod outputs;
mod shell_against_bash;
