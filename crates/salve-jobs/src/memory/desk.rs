//! Where flows put down what is to be done and runners pick it up.
//!
//! In: jobs that wait to begin, steps that wait to be done, signals, cancels. Out: the same, to
//! whoever can serve them. Never runs anything itself.

use super::book::is_within;
use super::{MemoryBook, lock};
use crate::{
    CallKey, CallLedger, FlowName, Happened, JobError, JobId, JobState, Json, Needs, StepError,
    StepName,
};
use salve_types::Clock;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use tokio::sync::{Notify, oneshot};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

/// Why the engine cancels a child whose parent does not wait for it any more.
pub(super) const DROPPED: &str = "parent dropped sub-orchestration future";
/// Why it cancels one whose parent was cancelled.
const WITH_PARENT: &str = "parent canceled";

/// What the jobs of one process share.
pub(super) struct Desk {
    pub(super) book: Arc<MemoryBook>,
    pub(super) ledger: Arc<dyn CallLedger>,
    pub(super) clock: Arc<dyn Clock>,
    /// There may be work.
    pub(super) work: Notify,
    papers: Mutex<Papers>,
}

#[derive(Default)]
struct Papers {
    jobs: BTreeMap<JobId, Job>,
    to_begin: VecDeque<Beginning>,
    steps: VecDeque<StepWork>,
}

/// What is known of a job that has not ended.
#[derive(Default)]
struct Job {
    begun: bool,
    token: CancellationToken,
    flow: Option<AbortHandle>,
    children: u32,
    steps: BTreeMap<u32, StepName>,
    given_up: Vec<(u32, StepName)>,
    waits: Vec<(u64, String)>,
    told: BTreeMap<String, VecDeque<Json>>,
    heard: BTreeSet<(String, String)>,
    news: Arc<Notify>,
    parent: Option<oneshot::Sender<Result<Json, JobError>>>,
    waits_so_far: u64,
}

/// A job that waits to begin.
pub(super) struct Beginning {
    pub(super) id: JobId,
    pub(super) flow: FlowName,
    pub(super) needs: Needs,
    pub(super) input: Json,
}

/// A step that waits to be done.
pub(super) struct StepWork {
    pub(super) job: JobId,
    pub(super) step: StepName,
    pub(super) needs: Needs,
    pub(super) key: CallKey,
    pub(super) attempt: u32,
    pub(super) input: Json,
    pub(super) reply: oneshot::Sender<Result<Json, StepError>>,
}

impl Desk {
    pub(super) fn new(
        book: Arc<MemoryBook>,
        ledger: Arc<dyn CallLedger>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { book, ledger, clock, work: Notify::new(), papers: Mutex::default() }
    }

    /// Puts down a job; its parent, if it has one, is told how it ends.
    pub(super) fn begin(
        &self,
        job: Beginning,
        parent: Option<oneshot::Sender<Result<Json, JobError>>>,
    ) {
        let mut papers = lock(&self.papers);
        papers.jobs.insert(job.id.clone(), Job { parent, ..Job::default() });
        papers.to_begin.push_back(job);
        drop(papers);
        self.work.notify_waiters();
    }

    /// Takes a job whose flow is one of these; `start` runs before anybody can cancel it.
    pub(super) fn take_job(
        &self,
        known: impl Fn(&FlowName) -> bool,
        start: impl FnOnce(Beginning) -> AbortHandle,
    ) -> bool {
        let mut papers = lock(&self.papers);
        let Some(index) = papers.to_begin.iter().position(|job| known(&job.flow)) else {
            return false;
        };
        let Some(taken) = papers.to_begin.remove(index) else { return false };
        let id = taken.id.clone();
        self.book.append(&id, Happened::Started { flow: taken.flow.to_string() });
        match self.book.to_stop(&id) {
            Some(reason) => self.end_cancelled(&mut papers, &id, &reason),
            None => {
                let handle = start(taken);
                if let Some(job) = papers.jobs.get_mut(&id) {
                    job.begun = true;
                    job.flow = Some(handle);
                }
            }
        }
        true
    }

    /// Puts down a step, in front of all others when it was handed back.
    pub(super) fn put_step(&self, step: StepWork, handed_back: bool) {
        let mut papers = lock(&self.papers);
        if !papers.jobs.contains_key(&step.job) {
            return;
        }
        if handed_back {
            papers.steps.push_front(step);
        } else {
            papers.steps.push_back(step);
        }
        drop(papers);
        self.work.notify_waiters();
    }

    /// Takes a step that fits, with the token of its job.
    pub(super) fn take_step(
        &self,
        fits: impl Fn(&StepWork) -> bool,
    ) -> Option<(StepWork, CancellationToken)> {
        let mut papers = lock(&self.papers);
        // Nobody waits any more for steps of jobs that have ended or that lost a race.
        let Papers { jobs, steps, .. } = &mut *papers;
        steps.retain(|step| !step.reply.is_closed() && jobs.contains_key(&step.job));
        let step = steps.remove(steps.iter().position(fits)?)?;
        let token = jobs.get(&step.job)?.token.clone();
        Some((step, token))
    }

    /// Notes that a job has one more or one less child under way.
    pub(super) fn count_children(&self, id: &JobId, change: i32) {
        if let Some(job) = lock(&self.papers).jobs.get_mut(id) {
            job.children = job.children.saturating_add_signed(change);
        }
    }

    /// Notes that a flow waits for a step.
    pub(super) fn step_begins(&self, id: &JobId, position: u32, step: &StepName) {
        if let Some(job) = lock(&self.papers).jobs.get_mut(id) {
            job.steps.insert(position, step.clone());
        }
    }

    /// Notes that a flow waits for a step no longer: it has ended, or the flow has given it up.
    pub(super) fn step_ends(&self, id: &JobId, position: u32, given_up: bool) {
        if let Some(job) = lock(&self.papers).jobs.get_mut(id) {
            let step = job.steps.remove(&position);
            job.given_up.extend(step.filter(|_| given_up).map(|step| (position, step)));
        }
    }

    /// Writes down which steps a flow gave up in this turn, behind everything else that it did in it.
    pub(super) fn turn_ends(&self, id: &JobId) {
        if let Some(job) = lock(&self.papers).jobs.get_mut(id) {
            self.write_given_up(id, job);
        }
    }

    fn write_given_up(&self, id: &JobId, job: &mut Job) {
        for (position, step) in job.given_up.drain(..) {
            let detail = serde_json::json!({ "step": step.as_str(), "position": position });
            let kind = "step_cancelled".to_owned();
            self.book.append(id, Happened::Other { kind, detail });
        }
    }

    /// Begins to wait for a signal; the returned number ends it.
    pub(super) fn wait_for(&self, id: &JobId, signal: &str) -> Option<(u64, Arc<Notify>)> {
        self.book.append(id, Happened::Waiting { signal: signal.to_owned() });
        let mut papers = lock(&self.papers);
        let job = papers.jobs.get_mut(id)?;
        job.waits_so_far += 1;
        job.waits.push((job.waits_so_far, signal.to_owned()));
        Some((job.waits_so_far, Arc::clone(&job.news)))
    }

    /// Takes what was told, if it was.
    pub(super) fn take_signal(&self, id: &JobId, signal: &str) -> Option<Json> {
        lock(&self.papers).jobs.get_mut(id)?.told.get_mut(signal)?.pop_front()
    }

    /// Waits no longer.
    pub(super) fn waited(&self, id: &JobId, wait: u64) {
        if let Some(job) = lock(&self.papers).jobs.get_mut(id) {
            job.waits.retain(|(number, _)| *number != wait);
        }
    }

    /// Tells a job something, once for each id.
    pub(super) fn tell(&self, id: &JobId, signal: &str, signal_id: &str, payload: Json) {
        let mut papers = lock(&self.papers);
        let Some(job) = papers.jobs.get_mut(id) else { return };
        if job.heard.insert((signal.to_owned(), signal_id.to_owned())) {
            job.told.entry(signal.to_owned()).or_default().push_back(payload);
            self.book.append(id, Happened::Signalled { signal: signal.to_owned() });
            job.news.notify_waiters();
        }
    }

    /// Returns where a job stands that has not ended.
    pub(super) fn standing(&self, id: &JobId) -> JobState {
        match lock(&self.papers).jobs.get(id) {
            Some(job) if !job.begun => JobState::Queued,
            Some(Job { children: 0, steps, waits, .. }) if steps.is_empty() => {
                match waits.first() {
                    Some((_, signal)) => JobState::Waiting { signal: signal.clone() },
                    None => JobState::Running,
                }
            }
            _ => JobState::Running,
        }
    }

    /// Ends a job, if it has not ended.
    pub(super) fn end(&self, id: &JobId, ended: Result<Json, JobError>) {
        self.end_with(&mut lock(&self.papers), id, ended);
    }

    /// Cancels a job that has begun with all below it; one that has not is cancelled when a runner
    /// takes it.
    pub(super) fn cancel(&self, id: &JobId, reason: &str) {
        let mut papers = lock(&self.papers);
        if papers.jobs.get(id).is_some_and(|job| job.begun) {
            self.end_cancelled(&mut papers, id, reason);
        }
    }

    /// Cancels a child that its parent does not wait for any more, begun or not.
    pub(super) fn drop_child(&self, id: &JobId) {
        self.end_cancelled(&mut lock(&self.papers), id, DROPPED);
    }

    fn end_cancelled(&self, papers: &mut Papers, id: &JobId, reason: &str) {
        let below: Vec<JobId> =
            papers.jobs.keys().filter(|job| *job != id && is_within(job, id)).cloned().collect();
        let all = below.iter().map(|child| (child, WITH_PARENT));
        for (job, reason) in all.chain([(id, reason)]) {
            if papers.jobs.contains_key(job) {
                self.book.append(job, Happened::CancelRequested { reason: reason.to_owned() });
                let reason = reason.to_owned();
                self.end_with(papers, job, Err(JobError::Cancelled { reason }));
            }
        }
    }

    fn end_with(&self, papers: &mut Papers, id: &JobId, ended: Result<Json, JobError>) {
        let Some(mut job) = papers.jobs.remove(id) else { return };
        job.given_up.extend(std::mem::take(&mut job.steps));
        self.write_given_up(id, &mut job);
        papers.to_begin.retain(|waiting| waiting.id != *id);
        let state = match &ended {
            Ok(output) => JobState::Done { output: output.clone() },
            Err(JobError::Cancelled { reason }) => JobState::Cancelled { reason: reason.clone() },
            Err(error) => JobState::Failed { error: error.clone() },
        };
        self.book.append(id, Happened::Ended { state });
        job.token.cancel();
        if let Some(flow) = job.flow {
            flow.abort();
        }
        if let Some(parent) = job.parent {
            let _ = parent.send(ended);
        }
    }
}
