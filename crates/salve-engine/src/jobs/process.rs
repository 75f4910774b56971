//! Processes of this machine, as they sign leases.
//!
//! In: a name that a process gave itself. Out: whether that process is surely dead. Never guesses: a
//! process of another boot, another container or another system is left to its lease.

use std::fs::read_to_string;

/// Returns the name of this process: the boot and the name space of process numbers it is in, its
/// number, and when it started, because numbers are used again.
pub(crate) fn this_process() -> String {
    let number = std::process::id();
    match (space(), started(number)) {
        (Some(space), Some(started)) => format!("{space}:{number}:{started}"),
        _ => format!("?:{number}"),
    }
}

/// Returns whether the process of this name is surely dead.
pub(super) fn is_dead(name: &str) -> bool {
    let mut parts = name.rsplitn(3, ':');
    let (begun, number, of) = (parts.next(), parts.next(), parts.next());
    let (Some(begun), Some(Ok(number)), Some(of)) = (begun, number.map(str::parse), of) else {
        return false;
    };
    space().is_some_and(|here| here == of) && started(number).is_none_or(|it| it != begun)
}

fn space() -> Option<String> {
    let boot = read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let space = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{}:{}", boot.trim(), space.to_str()?.trim_start_matches("pid:")))
}

/// Returns when a process started, in ticks since the boot; `None` when there is no such process, or
/// only what its parent has not fetched yet.
fn started(number: u32) -> Option<String> {
    let stat = read_to_string(format!("/proc/{number}/stat")).ok()?;
    // After the name in parentheses: the state is the 3rd field of all, the start the 22nd.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_dead_only_when_that_is_sure() {
        let name = this_process();
        assert!(!is_dead(&name), "{name} is this very process");
        let (front, started) = name.rsplit_once(':').unwrap();
        assert!(is_dead(&format!("{front}:{started}0")), "its number was used again");
        assert!(!is_dead(&format!("other-boot{name}")), "another machine is not judged");
        for strange in ["", "worker", "a:b", "a:b:c", "?:7"] {
            assert!(!is_dead(strange), "{strange}");
        }
    }
}
