//! Processes: what may be started, how it is started, and what it said.
//!
//! In: a command line that is proposed, or a folder to check. Out: a verdict, a run under the
//! sandbox with its record, diagnostics, signatures. Never: a process outside the runner, a second
//! shell, a decision that depends on anything but its arguments.

mod check;
mod console;
mod diagnostics;
mod facts;
mod forgotten;
mod git_index;
mod launcher;
mod obstacle;
mod plan;
mod policy;
mod report;
mod run;
mod runner;
mod sandbox;
mod shadow;
mod shell;
mod toolchain;

pub use check::{
    CheckOptions, CheckProgress, CheckReport, CheckRun, CheckVerdict, HeldBack, NotInstalled,
    check, check_command, check_watched,
};
mod signature;

pub use console::parse_console;
pub use diagnostics::{
    CheckedFolder, OutputParser, ToolPhase, add_hints, classify, parse_output, phase_of,
};
pub use facts::{
    GlobMatches, PathConcern, PathFacts, PathJudgement, PathKind, PathUse, RepoFacts, RepoHazard,
};
pub use forgotten::{ForgottenInstall, InstallPlace, forgotten_install};
pub use git_index::{GITLINK, read_git_index};
pub use launcher::{
    KeptCache, Launch, LaunchShadow, LaunchTerminal, LauncherReport, LauncherStage, Layer,
    LayerError, ProgramEnding, launcher_main,
};
pub use obstacle::{LayerLimit, Obstacle, likely_obstacle, obstacle_in};
pub use plan::{Joiner, Plan, PlannedCommand, PlannedPipeline, PlannedRedirect, RedirectTarget};
pub use policy::{
    Approval, ApprovalError, Approvals, Attendance, AutoApply, AutoRun, AutoRunMode, Choice,
    CommandFollowUp, CommandSegment, CommandVerdict, DEFAULT_LIST, ListEntry, LoadedRules,
    NextStep, PolicyRules, Profile, ProposedCommand, Rule, RuleDecision, RuleError, RuleSource,
    Scope, Supervision, UserRule, UserRules, entries_to_add, judge_command, may_auto_run,
    next_step, next_step_of_edits, read_follow_up, read_supervision, show_entries,
};
pub use report::{failure_text, for_model, github_commands, sarif_log};
pub use run::{
    Capture, FinishedRun, Gate, LaidOver, Limits, ProtectedFileUse, RiskClass, RunClass, RunEnding,
    RunError, RunEvent, RunInput, RunLimit, RunPrograms, RunRecord, RunRequest, StartedBy,
};
pub use runner::{
    CacheFolder, Keep, KeyCommandError, Launcher, OutputStream, OwnCommandError, RunLog, Runner,
    RunnerOptions, WorkspaceCache, caller_gives_input, clear_caches, is_paused, list_caches,
    run_key_command, run_own_command, run_own_executable, set_paused,
};
pub use sandbox::{Guarantee, GuaranteeReport, LayerReport, NamespaceDenial};
pub use shadow::{Shadow, ShadowError, ShadowLayer, ShadowMeans, ShadowOptions};
pub use shell::{
    CommandLine, ListFolder, ListingBudget, MAX_LINE_BYTES, MAX_MATCHES, Pattern, PatternError,
    Pipeline, Redirect, ShellRefusal, ShellRule, ShellWord, SimpleCommand, WordTarget,
    expand_pattern, is_invisible, parse_command_bytes, parse_command_line, quote_for_display,
    render_command_line,
};
pub use signature::{
    CanonicalForms, Digest, Signature, Signatures, SignedDiagnostic, canonical, message_quotes,
    normalise, primary_diagnostics, sign, sign_run, sign_text, summary, without_consequences,
};
pub use toolchain::{
    Applies, ArgsSince, BuildProfile, Declared, Detected, Marker, Phase, Reach, Registry,
    SpecError, TargetProfile, ToolReport, ToolchainError, ToolchainSpec, WorkUnit,
    add_typescript_fixes, probe_versions, project_files,
};
