//! Asks registered agents, all of a wave at the same time.
//!
//! In: the state that is being healed. Out: the candidates of their answers, what they said for the
//! models, and a code for each agent. A command runs in a layer of its own, in which it may also mend the
//! files itself; an address is asked over HTTP. Never costs more than the longest deadline, and nothing of
//! an answer reaches the user's tree from here.

use super::HealWork;
use crate::heal::agents::{self, AgentAnswer};
use crate::heal::context::target_of;
use crate::heal::machine::{Candidate, Confidence};
use crate::heal::{
    AgentCode, AgentMeans, AgentSettings, AgentTurn, AgentWave, FixOrigin, FixSource, Patch,
    SavedHeal, changed_lines, read_answer,
};
use salve_check::{
    FinishedRun, Gate, Limits, Plan, ProtectedFileUse, RiskClass, RunClass, RunEnding, RunError,
    RunInput, RunPrograms, RunRequest, ShadowLayer, StartedBy,
};
use salve_model::{
    AgentCallError, Attempt, HttpClientOptions, Role, Strategy, call_agent, http_client,
};

/// How much an agent may answer.
const MOST_BYTES: u32 = 1 << 20;
/// The tokens that the code around the errors may take of a question.
const TOKENS: u32 = 20_000;

/// What a wave of agents came to.
#[derive(Debug, Default)]
pub(crate) struct Consulted {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) advice: Vec<String>,
    pub(crate) turns: Vec<AgentTurn>,
}

/// What an agent gave: its answer, and the files that it mended itself.
type Given = Result<(AgentAnswer, Patch), (AgentCode, String)>;

impl HealWork {
    /// Asks the agents of a wave.
    pub(crate) fn consult(&self, wave: AgentWave, state: &SavedHeal) -> Consulted {
        let asked = wave.of(&self.parts.agents, &state.diagnostics);
        if asked.is_empty() {
            return Consulted::default();
        }
        let attempt = Attempt {
            number: 1,
            role: Role::Medium,
            strategy: Strategy::ContextAware,
            tokens: TOKENS,
        };
        let prompt = super::super::driver::prompt_for(self, state, &attempt, &self.input, &[]);
        let command = self.input.command_line();
        let question = |agent: &AgentSettings| {
            let redact = &*self.parts.redact;
            agents::question(agent, wave, &command, &state.diagnostics, &prompt, redact)
        };
        let answers: Vec<(&AgentSettings, Given)> = std::thread::scope(|scope| {
            let running: Vec<_> = asked
                .into_iter()
                .map(|agent| {
                    let question = question(agent);
                    (agent, scope.spawn(move || self.ask(agent, question, state)))
                })
                .collect();
            let lost = |_| Err((AgentCode::NotAsked, "its thread ended badly".to_owned()));
            running
                .into_iter()
                .map(|(agent, one)| (agent, one.join().unwrap_or_else(lost)))
                .collect()
        });
        let mut consulted = Consulted::default();
        for (agent, given) in answers {
            let (code, detail) = match given {
                Ok((answer, mended)) => self.take_in(agent, &answer, mended, state, &mut consulted),
                Err(failed) => failed,
            };
            consulted.turns.push(AgentTurn {
                agent: agent.name.clone(),
                asked: wave,
                code,
                detail,
            });
        }
        consulted
    }

    fn ask(&self, agent: &AgentSettings, question: String, state: &SavedHeal) -> Given {
        match &agent.means {
            AgentMeans::Command(argv) => self.ask_command(agent, argv, question, state),
            AgentMeans::Url(url) => {
                let answer =
                    over_http(agent, url, question).map_err(|error| not_answered(&error))?;
                let answer = agents::read(&answer).map_err(|why| (AgentCode::Unreadable, why))?;
                Ok((answer, Patch::default()))
            }
        }
    }

    fn ask_command(
        &self,
        agent: &AgentSettings,
        argv: &[String],
        question: String,
        state: &SavedHeal,
    ) -> Given {
        let not_asked = |why: String| (AgentCode::NotAsked, why);
        let best = &state.machine.best().patch;
        let layer = self.shadow.candidate(&best.files);
        let layer = layer.map_err(|error| not_asked(error.to_string()))?;
        let request = self.request(agent, argv, question);
        let finished =
            layer.run(&request).map_err(|error: RunError| not_asked(error.to_string()))?;
        ended_well(&finished)?;
        let mended = mended(&layer);
        let answer = finished.stdout.read_full(u64::from(MOST_BYTES)).unwrap_or_default();
        match agents::read(&String::from_utf8_lossy(&answer)) {
            Ok(answer) => Ok((answer, mended)),
            // Who mends the files themselves may say what it likes.
            Err(_) if !mended.is_empty() => Ok((AgentAnswer::default(), mended)),
            Err(why) => Err((AgentCode::Unreadable, why)),
        }
    }

    fn request(&self, agent: &AgentSettings, argv: &[String], question: String) -> RunRequest {
        let limits = Limits {
            deadline: agent.deadline,
            output_bytes: u64::from(MOST_BYTES),
            cpu_seconds: agent.deadline.as_secs().saturating_mul(2).max(1),
            ..Limits::of(RunClass::Proposed)
        };
        RunRequest {
            plan: Plan::of_argv(argv.iter().cloned()),
            cwd: self.parts.workspace.folder.clone(),
            class: RunClass::Proposed,
            risk: if agent.network { RiskClass::Network } else { RiskClass::Build },
            // It is in the user's own settings.
            gate: Gate::Approved,
            by: StartedBy::Salve,
            limits,
            environment: self.parts.environment.clone(),
            input: RunInput::Bytes(question.into_bytes()),
            protected: ProtectedFileUse::default(),
            ports: Vec::new(),
        }
    }

    // What an answer comes to; the candidate and the words in it are added.
    fn take_in(
        &self,
        agent: &AgentSettings,
        answer: &AgentAnswer,
        mended: Patch,
        state: &SavedHeal,
        into: &mut Consulted,
    ) -> (AgentCode, String) {
        let best = state.machine.best();
        let sources = self.sources(&best.patch);
        let mut code = AgentCode::Nothing;
        if let Some(text) = &answer.text {
            into.advice.push(agents::advice(&agent.name, text));
            code = AgentCode::Advised;
        }
        let patch = match &answer.edit {
            Some(edit) => {
                let target = target_of(&state.diagnostics, &sources);
                match read_answer(edit, &best.patch, &sources, target.as_deref()) {
                    Ok(fix) => fix.patch,
                    Err(why) => return (AgentCode::Unusable, why.to_string()),
                }
            }
            None if mended.is_empty() => return (code, String::new()),
            None => {
                let mut patch = best.patch.clone();
                patch.files.extend(mended.files);
                patch
            }
        };
        let said = answer.text.as_deref().and_then(|text| text.trim().lines().next());
        let proposed = || format!("the change that {} proposed", agent.name);
        into.candidates.push(Candidate {
            source: FixSource::Proposal,
            author: agent.name.clone(),
            description: said.map_or_else(proposed, str::to_owned),
            confidence: Confidence::Unstated,
            origin: FixOrigin::Derived,
            pinned: false,
            changed_lines: changed_lines(&best.patch, &patch, &sources),
            patch,
            commands: best.commands.clone(),
            round: 0,
        });
        (AgentCode::Proposed, String::new())
    }
}

fn ended_well(finished: &FinishedRun) -> Result<(), (AgentCode, String)> {
    let last = || {
        let said = finished.stderr.for_display();
        said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
    };
    match finished.record.ending {
        RunEnding::Exited { code: 0 } => Ok(()),
        RunEnding::Exited { code } => {
            Err((AgentCode::Failed, format!("it ended with {code}: {}", last())))
        }
        RunEnding::DeadlinePassed => Err((AgentCode::TooSlow, String::new())),
        RunEnding::TooMuchOutput => Err((AgentCode::TooMuch, String::new())),
        RunEnding::Signalled { signal } => {
            Err((AgentCode::Failed, format!("signal {signal} ended it")))
        }
        RunEnding::LimitExceeded { limit } => Err((AgentCode::Failed, limit.in_words().to_owned())),
    }
}

// The files that the program changed in its layer; what is no text is passed over.
fn mended(layer: &ShadowLayer<'_>) -> Patch {
    let written = layer.written().unwrap_or_default().into_iter();
    let files = written.filter_map(|path| match layer.read(&path) {
        Ok(None) => Some((path, None)),
        Ok(Some(bytes)) => Some((path, Some(String::from_utf8(bytes).ok()?))),
        Err(_) => None,
    });
    Patch { files: files.collect() }
}

// On a thread of its own, which has no runtime yet.
fn over_http(agent: &AgentSettings, url: &str, question: String) -> Result<String, AgentCallError> {
    let lost = |error: &dyn std::fmt::Display| AgentCallError::NotReached(error.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| lost(&error))?;
    let client = http_client(&HttpClientOptions::default()).map_err(|error| lost(&error))?;
    let most = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX);
    runtime.block_on(call_agent(&client, url, question, agent.deadline, most))
}

fn not_answered(error: &AgentCallError) -> (AgentCode, String) {
    let code = match error {
        AgentCallError::Address(_) => AgentCode::NotAsked,
        AgentCallError::TooLong(_) => AgentCode::TooSlow,
        AgentCallError::TooMuch(_) => AgentCode::TooMuch,
        AgentCallError::NotText => AgentCode::Unreadable,
        _ => AgentCode::Failed,
    };
    (code, error.to_string())
}
