//! The vocabulary of Salve: spans, languages, replies, verdicts, findings, money, calls,
//! jobs, modes, sessions, protected names.
//!
//! In: nothing. Out: plain data that every other crate speaks. Never: behaviour beyond naming and
//! conversion, I/O, or a dependency on another Salve crate.

mod call;
mod diagnostic;
mod durable;
mod edit;
mod finding;
mod hint;
mod job;
mod job_state;
mod language;
mod mode;
mod names;
mod protected;
mod reply;
mod segment;
mod session;
mod span;
mod spend;
mod time;
mod usage;
mod verdict;

pub use call::{CallKey, CallOutcome};
pub use diagnostic::{
    Applicability, Diagnostic, DiagnosticNote, ErrorClass, Severity, SourceSpan, SuggestedEdit,
    Suggestion,
};
pub use durable::{
    ClaimedStep, ClaimedTurn, DeletedInstances, EngineCounts, EngineRefusal, ExecutionEnd,
    ExecutionRow, FlowMessage, FlowRun, FlowValue, HistoryEvent, InstanceRow, Lease, MessageKind,
    NewFlow, QueuedStep, StepClaim, StepId, TagChoice, TurnClaim, TurnCommit, ValueChange,
};
pub use edit::{
    EditEnd, EditFormat, EditNote, EditNoteCode, EditSet, FileChange, FileEdit, Hunk, HunkBody,
    HunkLine, LineKind, LineOperation, LineOperationKind, Occurrence,
};
pub use finding::{Finding, FindingCode};
pub use hint::{Hint, IndentationFault, NameKind};
pub use job::{JobFilter, JobRow, Needs, NewJob, Page, Registered};
pub use job_state::{JobError, JobState, Stage};
pub use language::Language;
pub use mode::Mode;
pub use names::{BadName, FlowName, JobId, StepName};
pub use protected::{
    Binds, CheckRole, DEPENDENCY_FOLDERS, ProtectedEntry, ProtectedForm, ProtectedReason,
    protected_entries, protected_entry,
};
pub use reply::{FinishReason, RawReply};
pub use segment::{Segment, SegmentKind, Signal, WorkerResult};
pub use session::{
    BugBy, BugKind, BugReport, ChangeState, CommandBy, CommandResult, FileOpBy, FileOpKind,
    FileOperation, LoadedBy, SessionChange, SessionEvent, SessionId, TodoItem, TurnStatus,
};
pub use span::{Position, Span};
pub use spend::{BudgetUnit, PassedLimit, Spend, SpendLimit, WorstCase};
pub use time::{Clock, Timestamp};
pub use usage::Usage;
pub use verdict::{
    ErrorType, Evidence, EvidenceSource, GrammarOpinion, OpenConstruct, OpenKind, TruncationFamily,
    TruncationKind, Verdict,
};
