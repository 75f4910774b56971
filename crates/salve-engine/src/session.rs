//! A session: a person asks for a change in words, and gets it planned, written, applied, checked and
//! tracked, over many turns.
//!
//! In: what the person says, and a workspace. Out: events on one log, changes of files, a list of tasks. A
//! turn is a plain value that a durable flow drives; everything but `conversation`, `driver`, `work`, `load`, `uploads`
//! and `urls` is pure. Never applies or runs what was only recovered from a broken answer.

mod accept;
mod ask;
mod batch;
mod bug;
mod conversation;
mod driver;
mod event;
mod export;
mod hand_over;
mod handoff;
mod help;
mod images;
mod input;
mod load;
mod log;
pub mod machine;
mod multi_step;
mod one_line;
mod output;
mod pages;
mod plan;
mod practice;
mod project_rules;
mod prompt;
mod registry;
mod reply;
mod repo_map;
mod review;
mod rewind;
mod state;
mod status;
mod steering;
mod todos;
mod uploads;
mod urls;
mod work;

pub use accept::accept_recovered;
pub use ask::{Question, SessionFacts, answer_question, map_of_folder, window_used};
pub use batch::{
    BatchPanel, BatchResult, BatchRun, BatchStep, BatchTally, CommandBatch, GateAnswer, OutOfOrder,
    PanelRow, PauseReason, feedback_message, not_run_message, progress_text, supervision_lines,
    supervisor_prompt,
};
pub use bug::{JSON_CLEANUP, LEGACY_STEPS, TRUNCATED, bug_label, bugs_of, filed_by_user};
pub use conversation::{
    Conversation, ConversationError, ConversationParts, EventScope, RedrawOrder, ReviewDraft,
    ReviewStep, RunningTurn, TurnOrder, TurnQueue, WaitingTurn,
};
pub(crate) use driver::calls_of;
pub use driver::{
    DrawEnd, KeptImage, NewAnswer, TurnReport, begin_drawing, finish, offer_handoff, perform,
    supervisor_question, take_answer, take_drawn, take_heal, take_help, take_result,
    take_supervision,
};
pub use event::{EventName, PlannedBy, TurnEvent};
pub use export::{
    AuditExport, AuditPair, PairExport, SessionExport, audit_document, audit_name, change_history,
    file_registry, pair_file_history, session_document,
};
pub use hand_over::{HandoffDone, Inherited, WINDOW_TOKENS, decide_handoff, facts_of, inherited};
pub use handoff::{
    HandoffChoice, HandoffFacts, LOADED_BYTES, LOADED_FILES, ModifiedFile, OFFER_AT_PERCENT,
    RECENT_EXCHANGES, handoff_files, handoff_input, handoff_text, is_near_limit,
};
pub use help::{HelpQuestion, help_question};
pub use images::{
    DrawnSet, GeneratedImage, ImageFile, ImageState, ImageWish, MOST_DRAWN, SaveError, SavedImages,
    combined_prompt, drawing_prompts, image_id, image_wish, needs_project, prompts_question,
    read_prompts, save_images,
};
pub use input::{DrawHelp, EarlyRun, TurnDecision, TurnHelp, TurnInput, TurnResume};
pub use load::{
    LoadLimits, Loaded, LoadedFile, MAX_OMITTED, MapLimits, OmitCode, OmittedFile, SearchCode,
    SearchFailure, load, load_from, map_index, workspace_names,
};
pub use log::{held_edits, text_so_far};
pub use multi_step::{
    Advance, AutoContinue, CONTINUE_INPUT, Concern, MOST_ROUNDS, STEPS_PER_ANSWER, WaitReason,
    advance, concerns_in, concerns_of, ensure_continue, is_multi_step, too_many_steps,
};
pub use plan::{
    MAX_ACTIONS, MAX_TODOS, PlanAction, TurnPlan, WorkspaceNames, mentioned_paths, mentioned_words,
    plan_by_mentions, plan_prompt, read_plan,
};
pub use practice::{PRACTICE_FILES, PRACTICE_SCRIPT};
pub use project_rules::{ProjectRules, project_rules};
pub use prompt::{
    FittedHistory, LoadedText, PastTurn, PromptParts, PromptTemplate, SEARCH_FAILED, TemplateFault,
    attached_file, fit_history, system_prompt, user_message,
};
pub use registry::{FileRegistry, RegistryEntry, file_history_summary};
pub use reply::{
    AnswerSection, AnswerStage, CONTINUE_LABEL, ChatAnswer, ClaimedTodo, RETRY_LABEL,
    SuggestedCommand, SuggestedStep, TodoLink, blocked_banner, read_answer, read_cleaned,
    recovery_banner,
};
pub use repo_map::{MapIndex, repository_map};
pub use review::{FileChoice, HeldHunk, HeldIds, HeldKind, HunkChoice, WHOLE_FILE};
pub use rewind::{
    REWIND_UNDONE, RewindDone, RewindError, RewindPlan, RewindRequest, RewindScope, Rewound,
    SESSION_REWOUND, last_rewind, moved_changes, plan_rewind, rewind_session, undo_rewind,
};
pub use state::{DecidedPart, Effects, RanCommand, RowConsent, SavedTurn, Waits};
pub use status::{StatusFacts, run_all_label, status_badge, status_line};
pub use steering::{Steering, add_request, guide, guided, is_continue, pause_steps, steering};
pub use todos::{OutOfRange, TodoProgress, linked, merge_todos, tick, untick};
pub use uploads::{
    AttachedFile, CleanUp, FILE_TTL_HOURS, FileTtl, LocalFile, LocalFiles, MAX_UPLOAD_BYTES,
    MOST_UPLOADS, RefusedUploads, SkipCode, SkippedFile, TurnUploads, UploadCode, UploadDesk,
    UploadFault, UploadOutcome, UploadPlace, UploadSettings, local_file, local_files,
    needs_rehydration, take_uploads, upload_document, uploaded_section, wanted_paths,
};
pub use urls::{
    FetchedPage, GetPage, JudgedUrl, PageAnswer, PinnedConnections, ResolveHost, SystemNames,
    UrlLimits, UrlPolicy, UrlRefusal, fetch_bytes, fetch_page, is_public_address, judge_url,
};
pub use work::{
    CheckOutcome, CommandOutcome, EditsAbout, EditsOutcome, RefusedEdits, RunOutcome, TurnWork,
    Writing,
};
pub(crate) use work::{check_workspace, run_line};
