//! No file of the workspace becomes one that runs as its owner for everybody.
//!
//! In: nothing. Out: rules that refuse the bits "set user" and "set group" wherever a mode is given.
//! Never looks at a mode that the kernel would not read: without `O_CREAT` it is left-over memory.
//!
//! What a run leaves on the real disk stays there after it. A program of 32 bits or of another
//! numbering cannot walk around this: its calls are refused as a whole.

use super::{Filter, has_bits};
use libc::c_long;
use seccompiler::SeccompRule;

/// Younger than the common table, and one number on every machine.
const CHANGE_MODE_AT: c_long = 452;
const SET_BITS: [i32; 2] = [0o4000, 0o2000];
/// `O_TMPFILE` without the bit it shares with `O_DIRECTORY`.
const NAMELESS: i32 = 0o20_000_000;

/// Calls with a mode, and which argument it is.
const MODES: &[(c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (CHANGE_MODE_AT, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];

/// Calls that open a file: the arguments with the flags and the mode.
const OPENS: &[(c_long, u8, u8)] = &[
    (libc::SYS_openat, 2, 3),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
];

/// Returns every call with the arguments that are refused.
pub(super) fn denied() -> Filter<Vec<(i64, Vec<SeccompRule>)>> {
    let mut denied = Vec::new();
    for (call, mode) in MODES {
        let rules: Filter<Vec<_>> = SET_BITS
            .iter()
            .map(|bit| SeccompRule::new(vec![has_bits(*mode, *bit, *bit)?]))
            .collect();
        denied.push((*call, rules?));
    }
    for (call, flags, mode) in OPENS {
        let mut rules = Vec::new();
        for makes in [libc::O_CREAT, NAMELESS] {
            for bit in SET_BITS {
                let both = vec![has_bits(*flags, makes, makes)?, has_bits(*mode, bit, bit)?];
                rules.push(SeccompRule::new(both)?);
            }
        }
        denied.push((*call, rules));
    }
    Ok(denied)
}
