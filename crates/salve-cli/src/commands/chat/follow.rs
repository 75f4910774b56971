//! Runs the turns of a session in this process, and shows what happens.
//!
//! In: open jobs, a workspace, what a person says. Out: the report of each turn, and its events as they are on the
//! log, each once. A turn that was killed is gone on with under its own name. Never works on a workspace that
//! another process heals.

use super::{TurnSettings, ask_person, draw};
use crate::arguments::Format;
use crate::commands::sessions::dated;
use crate::failure::Failure;
use crate::heal_host::CommandHost;
use crate::job_place::OpenJobs;
use crate::runtime::Interruption;
use crate::{output, runtime};
use salve_engine::host::Place;
use salve_engine::session::machine::TurnEnding;
use salve_engine::session::{
    ChatAnswer, Conversation, RunningTurn, TurnDecision, TurnInput, TurnReport, TurnResume, Waits,
};
use salve_store::{SessionRecord, TurnRecord};
use salve_types::{SessionId, Spend, SpendLimit, TodoItem};
use std::sync::Arc;
use std::time::Duration;

const GRACE: Duration = Duration::from_secs(30);
/// How often the log is looked at while a turn runs.
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);
/// How many events are read at a time.
const EVENTS: u32 = 500;

/// A conversation in this process.
pub(crate) struct Chat<'a> {
    pub(crate) open: &'a OpenJobs<'a>,
    pub(crate) talk: Conversation,
    pub(crate) place: &'a Place,
    pub(crate) settings: &'a TurnSettings,
    pub(crate) format: Format,
    /// The session, once it has begun.
    pub(crate) session: Option<SessionRecord>,
    /// The ids of images that go with the next request.
    pub(crate) images: Vec<String>,
    /// The last event that was shown.
    seen: u64,
    /// What the turns of this run took.
    pub(crate) spent: Spend,
    /// What the next line begins with.
    pub(crate) prefill: String,
}

impl<'a> Chat<'a> {
    pub(crate) fn new(
        open: &'a OpenJobs<'a>,
        place: &'a Place,
        settings: &'a TurnSettings,
        format: Format,
    ) -> Result<Self, Failure> {
        let host = CommandHost { environment: settings.environment.clone() };
        let talk = open.conversation(Arc::new(host))?;
        Ok(Self {
            open,
            talk,
            place,
            settings,
            format,
            session: None,
            images: Vec::new(),
            seen: 0,
            spent: Spend::default(),
            prefill: String::new(),
        })
    }

    /// Returns the session.
    pub(crate) fn session(&self) -> Result<&SessionId, Failure> {
        let session = self.session.as_ref().map(|session| &session.id);
        session.ok_or_else(|| Failure::new("no session has begun"))
    }

    /// Goes on in the session that was begun with what is left of this one.
    pub(crate) fn begin_child(&mut self, child: SessionRecord, input: String) {
        (self.session, self.seen, self.prefill) = (Some(child), 0, input);
    }

    /// Asks for something, and shows what happens until it is over or waits.
    pub(crate) async fn turn(&mut self, text: &str) -> Result<TurnReport, Failure> {
        let session = self.session()?.clone();
        self.skip_shown(&session).await?;
        let images = std::mem::take(&mut self.images);
        let turn = self.talk.say(&session, text, images, None).await?;
        self.run(&turn, 1, None).await
    }

    // What happened before this run is not shown again.
    async fn skip_shown(&mut self, session: &SessionId) -> Result<(), Failure> {
        if self.seen > 0 {
            return Ok(());
        }
        loop {
            let page = self.open.store().session_events(session, self.seen, EVENTS).await?;
            match page.last() {
                Some(last) => self.seen = last.id,
                None => return Ok(()),
            }
        }
    }

    /// Goes on with a turn that was interrupted or waits; one that failed is tried again.
    pub(crate) async fn go_on(
        &mut self,
        turn: &TurnRecord,
        told: TurnResume,
    ) -> Result<TurnReport, Failure> {
        let attempt = self.talk.attempt(turn).await?;
        self.run(turn, attempt, Some(told)).await
    }

    async fn run(
        &mut self,
        turn: &TurnRecord,
        attempt: u32,
        told: Option<TurnResume>,
    ) -> Result<TurnReport, Failure> {
        let _lock = RunningTurn::lock(&self.place.root)?;
        let input = self.input(turn, attempt).await?;
        let mut running = self.talk.start(input, told).await?;
        let ended = self.follow_to_end(turn, &mut running).await;
        tokio::select! {
            () = running.finish(GRACE) => {}
            interrupted = runtime::interrupted() => interrupted?,
        }
        let report = ended?;
        self.spent =
            self.spent.plus(Spend { tokens: report.tokens, micro_dollars: report.micro_dollars });
        Ok(report)
    }

    // Until it is over, or waits for what nobody here decides.
    async fn follow_to_end(
        &mut self,
        turn: &TurnRecord,
        running: &mut RunningTurn,
    ) -> Result<TurnReport, Failure> {
        loop {
            let report = self.follow(turn, running).await?;
            let Some(told) = self.decided(turn, &report).await? else { return Ok(report) };
            running.tell(told).await?;
        }
    }

    // What the person at this terminal says about what waits; nothing when none is there.
    async fn decided(
        &self,
        turn: &TurnRecord,
        report: &TurnReport,
    ) -> Result<Option<TurnResume>, Failure> {
        let waits = match (&report.waits, report.ending) {
            (Some(waits), TurnEnding::Waiting) if self.settings.attended => waits,
            _ => return Ok(None),
        };
        let decision = match waits {
            Waits::Edits { .. } => ask_person::about_edits(self, turn).await?,
            Waits::Command { command, why } => ask_person::about_command(self.place, command, why)?,
            Waits::Images { count, micro_dollars } => {
                ask_person::about_images(*count, *micro_dollars)?
            }
            Waits::Commands { commands, why } => return ask_person::about_commands(commands, why),
        };
        let told = |decision: TurnDecision| TurnResume {
            decision: Some(decision),
            attended: true,
            ..TurnResume::default()
        };
        Ok(decision.map(told))
    }

    async fn input(&self, turn: &TurnRecord, attempt: u32) -> Result<TurnInput, Failure> {
        let mut input = self.settings.input(self.place);
        input.session = turn.session.clone();
        input.turn = turn.index;
        input.attempt = attempt;
        if let Some(text) = &self.settings.template {
            input.template = Some(self.open.keep_text(text).await?);
        }
        let rest = |limit: Option<u64>, taken: u64| limit.map(|all| all.saturating_sub(taken));
        let budget = &mut input.options.budget;
        *budget = SpendLimit {
            tokens: rest(budget.tokens, self.spent.tokens),
            micro_dollars: rest(budget.micro_dollars, self.spent.micro_dollars),
        };
        Ok(input)
    }

    // Shows the log until the turn has ended or stops.
    async fn follow(
        &mut self,
        turn: &TurnRecord,
        running: &mut RunningTurn,
    ) -> Result<TurnReport, Failure> {
        let interrupted = runtime::interruption();
        tokio::pin!(interrupted);
        loop {
            tokio::select! {
                report = running.stopped() => {
                    self.show_new(turn).await?;
                    return Ok(report?);
                }
                () = tokio::time::sleep(BETWEEN_LOOKS) => self.show_new(turn).await?,
                ended = &mut interrupted => {
                    output::transient("");
                    if ended? == Interruption::CtrlC {
                        return Err(self.give_up(turn, running).await?);
                    }
                    output::story(&format!(
                        "Interrupted; `salve sessions resume {}` goes on with it.\n", turn.session
                    ));
                    return Err(Failure::new("interrupted"));
                }
            }
        }
    }

    // A person wants no more of it. What arrived is kept, and can be asked for again.
    async fn give_up(
        &mut self,
        turn: &TurnRecord,
        running: &mut RunningTurn,
    ) -> Result<Failure, Failure> {
        running.cancel("a person gave it up").await?;
        self.show_new(turn).await?;
        Ok(Failure::new("the turn was given up")
            .hint(format!("`/retry`, or `salve sessions resume {}`, tries again.", turn.session)))
    }

    async fn show_new(&mut self, turn: &TurnRecord) -> Result<(), Failure> {
        loop {
            let events = self.open.store().session_events(&turn.session, self.seen, EVENTS);
            let page = events.await?;
            let Some(last) = page.last() else { return Ok(()) };
            self.seen = last.id;
            let is_of_turn = |of: u32| of == turn.index;
            for event in page.iter().filter(|event| event.turn.is_none_or(is_of_turn)) {
                match self.format {
                    Format::Jsonl => output::json_line(&dated(serde_json::json!(event)))?,
                    Format::Human => draw::event(event, self.settings.help.output.is_some())?,
                    Format::Json => {}
                }
            }
        }
    }

    /// Writes the result of a run, where the format wants one.
    pub(crate) fn show_end(&self, report: &TurnReport) -> Result<(), Failure> {
        match self.format {
            Format::Human => {
                output::story(&draw::ended(report));
                match &report.output {
                    Some(output) => output::json(output),
                    None => Ok(()),
                }
            }
            Format::Json => output::json(report),
            Format::Jsonl => Ok(()),
        }
    }

    /// Returns what was answered in a turn, and the tasks of the session.
    pub(crate) async fn known(
        &self,
        report: &TurnReport,
    ) -> Result<(ChatAnswer, Vec<TodoItem>), Failure> {
        let store = self.open.store();
        let turn = store.turn(&report.session, report.turn).await?;
        let answer = turn.and_then(|turn| turn.result);
        let answer = answer.and_then(|answer| serde_json::from_value(answer).ok());
        Ok((answer.unwrap_or_default(), store.todos(&report.session).await?))
    }
}
