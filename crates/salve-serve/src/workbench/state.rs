//! What all requests of a workbench share.
//!
//! In: the configuration. Out: conversations, the queue of turns, who may come in. Every turn that is asked for goes
//! through here. Never a turn without its place in the queue.

use super::access::Access;
use super::answer::{Answer, Fault};
use super::config::{HostFault, WorkbenchConfig};
use super::plan_runs::PlanRuns;
use http::StatusCode;
use salve_engine::session::{
    Conversation, ConversationError, TurnInput, TurnOrder, TurnQueue, TurnResume, WaitingTurn,
};
use salve_model::{ImageError, ImagePart, MOST_IMAGES};
use salve_store::{SessionRecord, SessionUpdate, Store, TurnRecord};
use salve_types::{SessionId, TurnStatus};
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::time::Duration;
use tokio::sync::watch;

/// How many characters of a request are the title of its session.
const TITLE: usize = 60;
/// How long a step that is being done may go on when the workbench stops.
const GRACE: Duration = Duration::from_secs(5);
/// How often it is looked for what waits in a turn, and how long between.
const LOOKS: u32 = 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(25);

/// What all requests share.
pub(crate) struct WorkbenchState {
    pub(super) config: WorkbenchConfig,
    pub(super) access: Access,
    // Taken out once, when the workbench stops.
    queue: Mutex<Option<TurnQueue>>,
    pub(super) plans: PlanRuns,
    closing: watch::Sender<bool>,
}

impl WorkbenchState {
    pub(super) fn new(config: WorkbenchConfig, access: Access) -> Self {
        let queue = TurnQueue::start(config.conversation.clone(), GRACE);
        let (closing, _) = watch::channel(false);
        Self { config, access, queue: Mutex::new(Some(queue)), plans: PlanRuns::default(), closing }
    }

    /// Returns the conversations.
    pub(crate) fn conversation(&self) -> &Conversation {
        &self.config.conversation
    }

    /// Returns what is remembered.
    pub(crate) fn store(&self) -> &Store {
        self.config.conversation.store()
    }

    /// Returns the root of the workspace.
    pub(crate) fn root(&self) -> &Path {
        &self.config.place.root
    }

    /// Returns a session of this workspace.
    pub(crate) async fn session(&self, id: &str) -> Answer<SessionRecord> {
        let found = self.store().session(&SessionId(id.to_owned())).await?;
        let here = self.root().display().to_string();
        found.filter(|session| session.workspace == here).ok_or_else(|| {
            Fault::missing("no_such_session", "there is no such session in this workspace")
        })
    }

    /// Returns the last turn of a session that counts.
    pub(crate) async fn last_turn(&self, session: &SessionId) -> Answer<TurnRecord> {
        let turns = self.store().turns(session).await?;
        let last = turns.into_iter().rev().find(|turn| !turn.rewound);
        last.ok_or_else(|| Fault::conflict("no_turn", "the session has no turn yet"))
    }

    /// Returns what waits in a turn. The event that it waits is written a moment before its job can be told, so it is
    /// looked for more than once.
    pub(crate) async fn waiting(&self, turn: &TurnRecord) -> Answer<Option<WaitingTurn>> {
        for _ in 0..LOOKS {
            if turn.status != TurnStatus::Waiting {
                return Ok(None);
            }
            if let Some(waiting) = self.conversation().waiting(turn).await? {
                return Ok(Some(waiting));
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        Ok(None)
    }

    /// Puts a turn into the queue, to be run or gone on with.
    /// A decision names what it is about.
    pub(crate) async fn run(
        &self,
        turn: &TurnRecord,
        told: Option<TurnResume>,
        approval: Option<String>,
    ) -> Answer<()> {
        let input = self.input(turn).await?;
        Ok(self.push(TurnOrder { input, told, approval })?)
    }

    /// Keeps what was said, and puts its turn into the queue. Where the settings do not allow a turn, nothing is kept.
    pub(crate) async fn say(
        &self,
        session: &SessionRecord,
        text: &str,
        images: &[String],
        key: Option<&str>,
    ) -> Answer<TurnRecord> {
        self.config.host.turn().map_err(|fault| unset(&fault))?;
        let images = self.keep_images(images).await?;
        let turn = self.conversation().say(&session.id, text, images, key).await?;
        if session.title.is_empty() {
            let update = SessionUpdate { title: Some(title_of(text)), ..SessionUpdate::default() };
            self.store().update_session(&session.id, update).await?;
        }
        if turn.status == TurnStatus::Pending {
            self.run(&turn, None, None).await?;
        }
        Ok(turn)
    }

    // Keeps images, each an address that holds all of it, and returns their ids. One that cannot be sent keeps none.
    async fn keep_images(&self, images: &[String]) -> Answer<Vec<String>> {
        if images.len() > MOST_IMAGES {
            return Err(Fault::invalid(format!("a message has at most {MOST_IMAGES} images")));
        }
        let mut read = Vec::new();
        for (number, image) in images.iter().enumerate() {
            let bytes = ImagePart::bytes_of_data_url(image);
            let failed =
                |error: ImageError| Fault::invalid(format!("image {}: {error}", number + 1));
            read.push(bytes.map_err(failed)?);
        }
        let mut ids = Vec::new();
        for bytes in read {
            ids.push(self.store().put_image(bytes).await?);
        }
        Ok(ids)
    }

    /// Stops the work on the workspace at the next step, or lets it go on.
    pub(crate) fn pause(&self, paused: bool) -> Answer<()> {
        let reason = "a person pressed Pause in the workbench";
        let set = salve_check::set_paused(self.root(), paused, reason);
        set.map_err(|error| Fault::broken(&error))
    }

    async fn input(&self, turn: &TurnRecord) -> Answer<TurnInput> {
        let mut input = self.config.host.turn().map_err(|fault| unset(&fault))?;
        input.session = turn.session.clone();
        input.turn = turn.index;
        input.attempt = turn.attempt.max(1);
        if let Some(text) = input.template.take() {
            input.template = Some(self.store().put_text(&text).await?);
        }
        Ok(input)
    }

    fn push(&self, order: TurnOrder) -> Result<(), ConversationError> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.as_ref().map_or(Err(ConversationError::Stopping), |queue| queue.push(order))
    }

    /// Goes on with what a process before this one left unfinished.
    pub(super) async fn go_on(&self) -> Result<(), ConversationError> {
        for turn in self.conversation().interrupted(self.root()).await? {
            debug_assert!(matches!(turn.status, TurnStatus::Pending | TurnStatus::Running));
            // One that cannot be begun stays open, and is tried again at the next start.
            if let Err(fault) = self.run(&turn, None, None).await {
                tracing::warn!(target: "salve::workbench", ?fault, session = %turn.session, "a turn cannot be gone on with");
            }
        }
        Ok(())
    }

    /// Returns what says that the workbench is about to end.
    pub(crate) fn closing(&self) -> watch::Receiver<bool> {
        self.closing.subscribe()
    }

    /// Ends the streams.
    pub(super) fn close(&self) {
        let _ = self.closing.send(true);
    }

    /// Hands back the turn that runs.
    pub(super) async fn stop(&self) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(queue) = queue {
            queue.stop().await;
        }
        self.plans.stop().await;
    }
}

fn unset(fault: &HostFault) -> Fault {
    Fault::new(StatusCode::CONFLICT, "settings", fault.to_string())
}

// A session is known by what was asked first.
fn title_of(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let short: String = line.chars().take(TITLE).collect();
    if short.len() < line.len() { format!("{}…", short.trim_end()) } else { short }
}
