//! System calls that no build tool needs and that attackers like.
//!
//! In: nothing. Out: filters on this process and everything it starts, which can never be taken
//! off. Never the only wall: what is denied here is denied by another layer too, where there is
//! one; the filter takes away the parts of the kernel where walls have had holes.

use super::refused;
use crate::launcher::{Layer, LayerError};
use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};
use std::collections::BTreeMap;
use std::io;

/// Installs the filters. The process must have one thread and `no_new_privs`.
pub(super) fn deny() -> Result<(), LayerError> {
    let programs = programs()
        .map_err(|error| refused(Layer::Seccomp, &io::Error::other(error.to_string())))?;
    for program in &programs {
        seccompiler::apply_filter(program)
            .map_err(|error| refused(Layer::Seccomp, &io::Error::other(error.to_string())))?;
    }
    Ok(())
}

type Filter<T> = Result<T, seccompiler::BackendError>;

fn programs() -> Filter<Vec<BpfProgram>> {
    let mut denied: BTreeMap<i64, Vec<SeccompRule>> =
        DENIED.iter().chain(DENIED_OF_THIS_MACHINE).map(|call| (*call, Vec::new())).collect();
    denied.extend(denied_with_arguments()?);
    // The C library falls back to `clone`, whose flags a filter can see, when this one is unknown.
    let unknown = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
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

/// One number on every machine: it is younger than the common table.
const OPEN_TREE_ATTR: c_long = 467;

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
fn denied_with_arguments() -> Filter<Vec<(i64, Vec<SeccompRule>)>> {
    Ok(vec![
        (libc::SYS_clone, new_namespaces()?),
        (libc::SYS_personality, other_personalities()?),
        (libc::SYS_ioctl, terminal_injection()?),
        (libc::SYS_socket, other_sockets()?),
        (libc::SYS_socketpair, vec![SeccompRule::new(vec![is_not(0, libc::AF_UNIX)?])?]),
    ])
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
fn other_sockets() -> Filter<Vec<SeccompRule>> {
    const OLD_PACKET: i32 = 10;
    let kind = |kind: i32| has_bits(1, 0xF, kind);
    Ok(vec![
        SeccompRule::new(vec![
            is_not(0, libc::AF_UNIX)?,
            is_not(0, libc::AF_INET)?,
            is_not(0, libc::AF_INET6)?,
            is_not(0, libc::AF_NETLINK)?,
        ])?,
        SeccompRule::new(vec![is(0, libc::AF_NETLINK)?, is_not(2, libc::NETLINK_ROUTE)?])?,
        SeccompRule::new(vec![is(0, libc::AF_INET)?, kind(libc::SOCK_RAW)?])?,
        SeccompRule::new(vec![is(0, libc::AF_INET6)?, kind(libc::SOCK_RAW)?])?,
        SeccompRule::new(vec![is(0, libc::AF_INET)?, kind(OLD_PACKET)?])?,
    ])
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
        let programs = programs().unwrap();
        assert!(programs.len() >= 2);
        assert!(programs.iter().all(|program| !program.is_empty() && program.len() < 1024));
    }
}
