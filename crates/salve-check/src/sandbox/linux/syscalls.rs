//! System calls that no build tool needs and that attackers like.
//!
//! In: nothing. Out: filters on this process and everything it starts, which can never be taken
//! off. Never the only wall: what is denied here is denied by another layer too, where there is
//! one; the filter takes away the parts of the kernel where walls have had holes.

mod mode_bits;

use super::refused;
use crate::launcher::{Launch, Layer, LayerError};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::io;

/// Installs the filters. The process must have one thread and `no_new_privs`.
pub(super) fn deny(launch: &Launch) -> Result<(), LayerError> {
    let programs = programs(&Surroundings::of(launch))
        .map_err(|error| refused(Layer::Seccomp, &io::Error::other(error.to_string())))?;
    for program in &programs {
        seccompiler::apply_filter(program)
            .map_err(|error| refused(Layer::Seccomp, &io::Error::other(error.to_string())))?;
    }
    Ok(())
}

type Filter<T> = Result<T, seccompiler::BackendError>;

/// What else is around a run, which decides what the filter must do alone.
#[derive(Debug, Clone, Copy)]
struct Surroundings {
    /// There are no namespaces: other programs' sockets, queues and limits are in reach.
    rules: bool,
    network: bool,
}

impl Surroundings {
    fn of(launch: &Launch) -> Self {
        Self { rules: launch.goes_by_rules(), network: launch.network }
    }
}

fn programs(around: &Surroundings) -> Filter<Vec<BpfProgram>> {
    let shared = if around.rules { DENIED_WITHOUT_NAMESPACES } else { &[] };
    let mut denied: BTreeMap<i64, Vec<SeccompRule>> = DENIED
        .iter()
        .chain(DENIED_OF_THIS_MACHINE)
        .chain(shared)
        .map(|call| (*call, Vec::new()))
        .collect();
    denied.extend(denied_with_arguments(around)?);
    denied.extend(mode_bits::denied()?);
    if around.rules && !around.network {
        denied.insert(libc::SYS_connect, Vec::new());
    }
    // The C library falls back to `clone`, and others to `openat`, whose flags and modes a filter can
    // see, when these two are unknown.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new()), (libc::SYS_openat2, Vec::new())]);
    let errno = |number: i32| SeccompAction::Errno(number.unsigned_abs());
    let mut programs =
        vec![compile(denied, errno(libc::EPERM))?, compile(unknown, errno(libc::ENOSYS))?];
    programs.extend(other_numbering());
    Ok(programs)
}

/// Calls of another architecture end the process: the filter starts with that question.
fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, action: SeccompAction) -> Filter<BpfProgram> {
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, SeccompAction::Allow, action, machine)?.try_into()
}

/// Never needed, whatever the arguments.
const DENIED: &[c_long] = &[
    // Other processes: their memory, descriptors and secrets.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // The view of the files.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    // Namespaces.
    libc::SYS_unshare,
    libc::SYS_setns,
    // Parts of the kernel with a history.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_perf_event_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_memfd_secret,
    // The machine itself.
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
];

/// One number on every machine: they are younger than the common table.
const OPEN_TREE_ATTR: c_long = 467;
const SET_ATTRIBUTE_AT: c_long = 463;
const REMOVE_ATTRIBUTE_AT: c_long = 466;
const FILE_SET_ATTRIBUTES: c_long = 469;

/// What own namespaces and mounts would make harmless: queues and memory of others, attributes of
/// files, for which Landlock knows no right.
const DENIED_WITHOUT_NAMESPACES: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SET_ATTRIBUTE_AT,
    REMOVE_ATTRIBUTE_AT,
    FILE_SET_ATTRIBUTES,
];

#[cfg(target_arch = "x86_64")]
const DENIED_OF_THIS_MACHINE: &[c_long] = &[
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS__sysctl,
];
/// A new kernel from a file, which the C library's table does not always name.
#[cfg(target_arch = "aarch64")]
const DENIED_OF_THIS_MACHINE: &[c_long] = &[294];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const DENIED_OF_THIS_MACHINE: &[c_long] = &[];

/// Denied only with some arguments.
fn denied_with_arguments(around: &Surroundings) -> Filter<Vec<(i64, Vec<SeccompRule>)>> {
    let mut denied = vec![
        (libc::SYS_clone, new_namespaces()?),
        (libc::SYS_personality, other_personalities()?),
        (libc::SYS_ioctl, terminal_injection()?),
        (libc::SYS_socket, other_sockets(around)?),
        (libc::SYS_socketpair, other_pairs(around)?),
    ];
    if around.rules {
        // The limits of other processes of the same user, the keeper's among them.
        denied.push((libc::SYS_prlimit64, vec![SeccompRule::new(vec![is_not(0, 0)?])?]));
    }
    Ok(denied)
}

fn new_namespaces() -> Filter<Vec<SeccompRule>> {
    [
        libc::CLONE_NEWNS,
        libc::CLONE_NEWCGROUP,
        libc::CLONE_NEWUTS,
        libc::CLONE_NEWIPC,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWPID,
        libc::CLONE_NEWNET,
    ]
    .into_iter()
    .map(|flag| SeccompRule::new(vec![has_bits(0, flag, flag)?]))
    .collect()
}

/// The two of Linux, with an old version number or without, and the question which it is.
fn other_personalities() -> Filter<Vec<SeccompRule>> {
    const QUESTION: i32 = -1;
    const OLD_VERSION: i32 = 0x0002_0000;
    let known = [0, 8, OLD_VERSION, OLD_VERSION | 8, QUESTION];
    let none_of_them: Filter<Vec<_>> = known.into_iter().map(|value| is_not(0, value)).collect();
    Ok(vec![SeccompRule::new(none_of_them?)?])
}

/// Typing into the terminal of another process, and the clipboard of the console.
fn terminal_injection() -> Filter<Vec<SeccompRule>> {
    const TYPE_A_LETTER: i32 = 0x5412;
    const CONSOLE: i32 = 0x541C;
    const TAKE_CONSOLE_OUTPUT: i32 = 0x541D;
    [TYPE_A_LETTER, CONSOLE, TAKE_CONSOLE_OUTPUT]
        .into_iter()
        .map(|request| SeccompRule::new(vec![is(1, request)?]))
        .collect()
}

/// Unix sockets, TCP and UDP are left, and the list of interfaces, which node asks the kernel for.
///
/// Without namespaces a unix socket could speak to every service of the user, the one that starts
/// programs among them, and no rule can tell its name; so only those of the network are left, if any.
fn other_sockets(around: &Surroundings) -> Filter<Vec<SeccompRule>> {
    const OLD_PACKET: i32 = 10;
    let kind = |kind: i32| has_bits(1, 0xF, kind);
    let other_netlink =
        || SeccompRule::new(vec![is(0, libc::AF_NETLINK)?, is_not(2, libc::NETLINK_ROUTE)?]);
    if around.rules && !around.network {
        return Ok(vec![SeccompRule::new(vec![is_not(0, libc::AF_NETLINK)?])?, other_netlink()?]);
    }
    let unix =
        if around.rules { vec![SeccompRule::new(vec![is(0, libc::AF_UNIX)?])?] } else { vec![] };
    let mut rules = vec![
        SeccompRule::new(vec![
            is_not(0, libc::AF_UNIX)?,
            is_not(0, libc::AF_INET)?,
            is_not(0, libc::AF_INET6)?,
            is_not(0, libc::AF_NETLINK)?,
        ])?,
        other_netlink()?,
        SeccompRule::new(vec![is(0, libc::AF_INET)?, kind(libc::SOCK_RAW)?])?,
        SeccompRule::new(vec![is(0, libc::AF_INET6)?, kind(libc::SOCK_RAW)?])?,
        SeccompRule::new(vec![is(0, libc::AF_INET)?, kind(OLD_PACKET)?])?,
    ];
    rules.extend(unix);
    Ok(rules)
}

/// Pairs of unix sockets are left. Without namespaces only those of connected kinds: one of datagrams
/// can still send to a socket with a name, and a raw one is one of datagrams to the kernel.
fn other_pairs(around: &Surroundings) -> Filter<Vec<SeccompRule>> {
    const KINDS: i32 = 0xF;
    let mut rules = vec![SeccompRule::new(vec![is_not(0, libc::AF_UNIX)?])?];
    if around.rules {
        let connected = [libc::SOCK_STREAM, libc::SOCK_SEQPACKET];
        for kind in (0..=KINDS).filter(|kind| !connected.contains(kind)) {
            rules.push(SeccompRule::new(vec![has_bits(1, KINDS, kind)?])?);
        }
    }
    Ok(rules)
}

fn is(argument: u8, value: i32) -> Filter<SeccompCondition> {
    condition(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: i32) -> Filter<SeccompCondition> {
    condition(argument, SeccompCmpOp::Ne, value)
}

fn has_bits(argument: u8, mask: i32, value: i32) -> Filter<SeccompCondition> {
    condition(argument, SeccompCmpOp::MaskedEq(u64::from(mask.cast_unsigned())), value)
}

/// The kernel reads these arguments as 32 bits, so the filter must not look at the others.
fn condition(argument: u8, operator: SeccompCmpOp, value: i32) -> Filter<SeccompCondition> {
    let value = u64::from(value.cast_unsigned());
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

/// The x32 numbering of the same calls would walk around a list of numbers: all of it is unknown.
#[cfg(target_arch = "x86_64")]
fn other_numbering() -> Option<BpfProgram> {
    use seccompiler::sock_filter;
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_NOT_LESS: u16 = 0x35;
    const RETURN: u16 = 0x06;
    const X32: u32 = 0x4000_0000;
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    Some(vec![
        step(LOAD_WORD, 0, 0, 0),
        step(JUMP_IF_NOT_LESS, 0, 1, X32),
        step(RETURN, 0, 0, SeccompAction::Errno(libc::ENOSYS.unsigned_abs()).into()),
        step(RETURN, 0, 0, SeccompAction::Allow.into()),
    ])
}

#[cfg(not(target_arch = "x86_64"))]
fn other_numbering() -> Option<BpfProgram> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_filter_compiles_and_fits_into_the_kernel() {
        for (rules, network) in [(false, false), (true, false), (true, true)] {
            let programs = programs(&Surroundings { rules, network }).unwrap();
            assert!(programs.len() >= 2);
            assert!(programs.iter().all(|program| !program.is_empty() && program.len() < 4096));
        }
    }
}
