//! Which services of this machine a run may reach.
//!
//! In: ports named by flag and by the user's own setting, and those that belong to Salve. Out: the ports,
//! each once. Never one that Salve listens on: whatever reaches a gateway spends its keys. What listens
//! is asked of the machine, because a gateway may have been started on any port.

use std::collections::HashSet;
use std::path::Path;

/// More than any project needs, and few enough to be listened on for each run.
const MOST: usize = 32;

/// A port that is Salve's own, whether or not anything listens there now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnPort {
    /// The port.
    pub port: u16,
    /// What of Salve uses it.
    pub what: &'static str,
}

/// Why a port cannot be named.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PortError {
    /// It is no port.
    #[error("0 is not a port that can be reached")]
    Zero,
    /// Salve uses it.
    #[error("port {port} is that of {what}, which no run may reach")]
    Own {
        /// The port.
        port: u16,
        /// What of Salve uses it.
        what: &'static str,
    },
    /// There are too many.
    #[error("{count} ports are named, and {MOST} is the most")]
    TooMany {
        /// How many.
        count: usize,
    },
}

/// Puts together the ports of a run.
///
/// # Errors
/// When one of them may not be reached.
pub fn run_ports(flags: &[u16], setting: &[u16], own: &[OwnPort]) -> Result<Vec<u16>, PortError> {
    choose(flags, setting, own, is_served_by_salve)
}

fn choose(
    flags: &[u16],
    setting: &[u16],
    own: &[OwnPort],
    is_served_by_salve: impl Fn(u16) -> bool,
) -> Result<Vec<u16>, PortError> {
    let mut ports: Vec<u16> = flags.iter().chain(setting).copied().collect();
    ports.sort_unstable();
    ports.dedup();
    if ports.len() > MOST {
        return Err(PortError::TooMany { count: ports.len() });
    }
    for &port in &ports {
        if port == 0 {
            return Err(PortError::Zero);
        }
        if let Some(OwnPort { what, .. }) = own.iter().find(|own| own.port == port) {
            return Err(PortError::Own { port, what });
        }
        if is_served_by_salve(port) {
            return Err(PortError::Own { port, what: "a running Salve" });
        }
    }
    Ok(ports)
}

/// Tells whether a process with this executable listens on a port. Processes of other users cannot be
/// asked, and have none of this user's keys.
fn is_served_by_salve(port: u16) -> bool {
    let sockets: HashSet<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
        .into_iter()
        .filter_map(|table| std::fs::read_to_string(table).ok())
        .flat_map(|table| listening(&table, port))
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    if sockets.is_empty() {
        return false;
    }
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .map(|entry| entry.path())
        .any(|process| is_salve(&process) && holds(&process, &sockets))
}

/// The sockets that listen on a port, by their numbers: the port is after the address in the 2nd column,
/// the state in the 4th and the number in the 10th.
fn listening(table: &str, port: u16) -> Vec<String> {
    const LISTENS: &str = "0A";
    let socket = |line: &str| {
        let columns: Vec<&str> = line.split_ascii_whitespace().collect();
        let (address, state, number) = (columns.get(1)?, columns.get(3)?, columns.get(9)?);
        let (_, at) = address.rsplit_once(':')?;
        let fits = u16::from_str_radix(at, 16).ok()? == port && *state == LISTENS;
        fits.then(|| (*number).to_owned())
    };
    table.lines().skip(1).filter_map(socket).collect()
}

fn is_salve(process: &Path) -> bool {
    let executable = |of: &Path| std::fs::read_link(of.join("exe")).ok();
    let ours = executable(Path::new("/proc/self"));
    let theirs = executable(process);
    // An executable that was replaced since is still called by its name.
    let is_named = theirs.as_ref().and_then(|path| path.file_name()).is_some_and(|name| {
        let name = name.to_string_lossy();
        name.trim_end_matches(" (deleted)") == "salve"
    });
    is_named || (ours.is_some() && ours == theirs)
}

fn holds(process: &Path, sockets: &HashSet<String>) -> bool {
    let files = std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    files
        .filter_map(|file| std::fs::read_link(file.path()).ok())
        .any(|target| target.to_str().is_some_and(|target| sockets.contains(target)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn ports_are_named_by_flag_or_setting_and_never_salves_own() {
        let own = [OwnPort { port: 8790, what: "the gateway" }];
        let chosen =
            |flags: &[u16], setting: &[u16]| choose(flags, setting, &own, |port| port == 9);
        assert_eq!(chosen(&[], &[]), Ok(vec![]));
        assert_eq!(chosen(&[6379, 5432, 6379], &[5432, 80]), Ok(vec![80, 5432, 6379]));
        let refused = |port, what| Err(PortError::Own { port, what });
        assert_eq!(chosen(&[8790], &[]), refused(8790, "the gateway"));
        assert_eq!(chosen(&[], &[8790]), refused(8790, "the gateway"));
        assert_eq!(chosen(&[5432, 9], &[]), refused(9, "a running Salve"));
        assert_eq!(chosen(&[0], &[]), Err(PortError::Zero));
        let many: Vec<u16> = (100..=u16::try_from(100 + MOST).unwrap()).collect();
        assert_eq!(chosen(&many, &[]), Err(PortError::TooMany { count: MOST + 1 }));
    }

    #[test]
    fn a_port_that_this_executable_listens_on_is_salves() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(is_served_by_salve(port));
        drop(listener);
        assert!(!is_served_by_salve(port));
    }

    #[test]
    fn the_table_is_read_by_its_columns() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
             0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 4711 1\n\
             1: 0100007F:1538 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1000 0 4712 1\n\
             2: 0100007F:1539 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000 0 4713 1\n";
        assert_eq!(listening(table, 5432), ["4711"]);
        assert!(listening(table, 1).is_empty() && listening("", 5432).is_empty());
    }
}
