//! Files that are executed or obeyed later, or that hold secrets: a reply may not change them
//! without a person's word.
//!
//! In: the names of a path. Out: why it is protected, if it is: the table is `salve_types`', which
//! the sandbox reads too. Never: a look at what exists.

use super::PathRule;
use super::names::plain_spelling;
use salve_types::{ProtectedReason, protected_entry};

/// Tells why a path is protected.
pub(super) fn reason(names: &[String]) -> Option<ProtectedReason> {
    let names: Vec<String> = names.iter().map(|name| plain_spelling(name)).collect();
    protected_entry(&names).map(|entry| entry.reason)
}

/// Returns the rule of a reason.
pub(super) const fn rule(reason: ProtectedReason) -> PathRule {
    match reason {
        ProtectedReason::Repository => PathRule::ProtectedRepositoryFile,
        ProtectedReason::Editor => PathRule::ProtectedEditorSettings,
        ProtectedReason::Toolchain => PathRule::ProtectedToolchainSettings,
        ProtectedReason::Hook => PathRule::ProtectedHook,
        ProtectedReason::Ci => PathRule::ProtectedCi,
        ProtectedReason::Agent => PathRule::ProtectedAgentInstructions,
        ProtectedReason::Shell => PathRule::ProtectedShellStartup,
        ProtectedReason::Secret => PathRule::ProtectedSecret,
        ProtectedReason::Installed => PathRule::ProtectedInstalled,
    }
}
