//! Work orders over several providers.
//!
//! In: a payload of segments and what is asked about it. Out: the payload with the answer at its
//! end, and a signal. The provider with the least to do is asked; one that fails for the moment
//! hands the order on to the next. Never judges the answer: the caller does. The blocks of a workflow
//! will call it as it is.

use crate::limit::CallGate;
use crate::model::{Model, ModelError, Watch};
use crate::reply::ModelReply;
use crate::request::{ModelRequest, Speaker, Turn};
use salve_types::{Clock, Segment, SegmentKind, Signal, WorkerResult};
use std::sync::Arc;
use std::time::Duration;

/// One piece of work.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkOrder {
    /// What was said so far, oldest first.
    pub payload: Vec<Segment>,
    /// Instructions, tools, schema and limits. Its turns come before the payload's, and its model is
    /// the one each provider is asked for unless the provider has its own name for it.
    pub request: ModelRequest,
}

/// A provider in a pool.
pub struct PoolMember<M> {
    /// Its name, for records.
    pub name: String,
    /// What it calls the model; none when the order's name is right.
    pub model_name: Option<String>,
    /// How it is asked.
    pub model: M,
    /// How much at once. Shared with everyone who asks the same provider.
    pub gate: Arc<CallGate>,
}

/// How an order went.
#[derive(Debug)]
pub struct Execution {
    /// The payload and the signal.
    pub result: WorkerResult,
    /// What came back, if something did.
    pub reply: Option<ModelReply>,
    /// Who was asked, in order, and why it failed there.
    pub failures: Vec<(String, ModelError)>,
}

/// Several providers for the same work.
pub struct Pool<M> {
    members: Vec<PoolMember<M>>,
    clock: Arc<dyn Clock>,
}

impl<M: Model> Pool<M> {
    /// Makes a pool.
    pub fn new(members: Vec<PoolMember<M>>, clock: Arc<dyn Clock>) -> Self {
        Self { members, clock }
    }

    /// Carries out an order.
    pub async fn execute(&self, order: &WorkOrder) -> WorkerResult {
        self.carry_out(order, &mut ()).await.result
    }

    /// Carries out an order, and tells how it went.
    pub async fn carry_out(&self, order: &WorkOrder, watch: &mut dyn Watch) -> Execution {
        let mut request = order.request.clone();
        request.turns.extend(order.payload.iter().map(as_turn));
        let mut failures = Vec::new();
        let mut seen = Seen { watch, anything: false };
        for member in self.by_load() {
            request.model = member.model_name.clone().unwrap_or(order.request.model.clone());
            match ask(member, &request, &mut seen).await {
                Ok(reply) => return self.executed(order, reply, failures),
                Err(error) => {
                    // Another provider's answer cannot be put after half an answer of this one.
                    let next = error.is_transient() && !seen.anything;
                    failures.push((member.name.clone(), error));
                    if !next {
                        break;
                    }
                }
            }
        }
        let result =
            WorkerResult { new_payload: order.payload.clone(), signal: Signal::FailDefault };
        Execution { result, reply: None, failures }
    }

    fn executed(
        &self,
        order: &WorkOrder,
        reply: ModelReply,
        failures: Vec<(String, ModelError)>,
    ) -> Execution {
        let mut new_payload = order.payload.clone();
        new_payload.push(Segment {
            id: uuid::Uuid::new_v4().to_string(),
            kind: SegmentKind::CodeOutput,
            content: reply.text.clone(),
            timestamp: self.clock.now().to_string(),
        });
        let result = WorkerResult { new_payload, signal: Signal::Success };
        Execution { result, reply: Some(reply), failures }
    }

    // Those that rest come last, soonest first; among the others the least busy one is first.
    fn by_load(&self) -> Vec<&PoolMember<M>> {
        let mut members: Vec<&PoolMember<M>> = self.members.iter().collect();
        members.sort_by_key(|member| {
            (member.gate.rest().unwrap_or(Duration::ZERO), member.gate.load())
        });
        members
    }
}

async fn ask<M: Model>(
    member: &PoolMember<M>,
    request: &ModelRequest,
    watch: &mut dyn Watch,
) -> Result<ModelReply, ModelError> {
    let pass = member.gate.enter().await;
    let result = member.model.call(request, watch).await;
    member.gate.note(&result);
    drop(pass);
    result
}

fn as_turn(segment: &Segment) -> Turn {
    let speaker = match segment.kind {
        SegmentKind::CodeOutput => Speaker::Assistant,
        _ => Speaker::User,
    };
    Turn { speaker, text: segment.content.clone(), images: Vec::new(), files: Vec::new() }
}

struct Seen<'a> {
    watch: &'a mut dyn Watch,
    anything: bool,
}

impl Watch for Seen<'_> {
    fn arrived(&mut self, text: &str) {
        self.anything |= !text.is_empty();
        self.watch.arrived(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Counting, Scripted, refused, text};
    use salve_types::Timestamp;

    fn clock() -> Arc<dyn Clock> {
        Arc::new(|| Timestamp(0))
    }

    fn member<M>(name: &str, model: M, parallel: usize) -> PoolMember<M> {
        let gate = Arc::new(CallGate::new(parallel));
        PoolMember { name: name.to_owned(), model_name: None, model, gate }
    }

    fn order() -> WorkOrder {
        let segment = |kind, content: &str| Segment {
            id: "1".to_owned(),
            kind,
            content: content.to_owned(),
            timestamp: String::new(),
        };
        WorkOrder {
            payload: vec![
                segment(SegmentKind::Request, "write f"),
                segment(SegmentKind::CodeOutput, "fn g"),
                segment(SegmentKind::ValidationError, "not f"),
            ],
            request: ModelRequest::default(),
        }
    }

    #[tokio::test]
    async fn o25_an_order_returns_the_new_payload_and_a_signal() {
        let pool = Pool::new(vec![member("a", Scripted::new(vec![Ok(text("fn f"))]), 1)], clock());
        let result = pool.execute(&order()).await;
        let mut shown = serde_json::to_value(&result).unwrap();
        let id = shown["newPayload"][3]["id"].take();
        assert!(uuid::Uuid::parse_str(id.as_str().unwrap()).is_ok());
        insta::assert_snapshot!(
            serde_json::json!([shown["newPayload"][3], shown["signal"]]),
            @r#"[{"id":null,"type":"CODE_OUTPUT","content":"fn f","timestamp":"1970-01-01T00:00:00.000Z"},"SIGNAL:SUCCESS"]"#
        );
        let speakers: Vec<Speaker> =
            pool.members[0].model.seen()[0].turns.iter().map(|turn| turn.speaker).collect();
        assert_eq!(speakers, [Speaker::User, Speaker::Assistant, Speaker::User]);
    }

    #[tokio::test]
    async fn o25_a_failing_provider_hands_the_order_on() {
        let members = vec![
            member("a", Scripted::new(vec![Err(refused(503))]), 1),
            member("b", Scripted::new(vec![Err(refused(429))]), 1),
            member("c", Scripted::new(vec![Ok(text("fn f"))]), 1),
        ];
        let pool = Pool::new(members, clock());
        let execution = pool.carry_out(&order(), &mut ()).await;
        assert_eq!(execution.result.signal, Signal::Success);
        let failed: Vec<&str> = execution.failures.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(failed, ["a", "b"]);
    }

    #[tokio::test]
    async fn o25_when_nobody_answers_the_payload_is_as_it_was() {
        let members = vec![member("a", Scripted::new(vec![Err(refused(401))]), 1)];
        let pool = Pool::new(members, clock());
        let result = pool.execute(&order()).await;
        assert_eq!((result.new_payload, result.signal), (order().payload, Signal::FailDefault));
        let nobody: Pool<Scripted> = Pool::new(Vec::new(), clock());
        assert_eq!(nobody.execute(&order()).await.signal, Signal::FailDefault);
    }

    #[tokio::test]
    async fn half_an_answer_is_not_continued_by_another_provider() {
        let half = Scripted::new(vec![Err(refused(500))]).leaking("half");
        let members =
            vec![member("a", half, 1), member("b", Scripted::new(vec![Ok(text("whole"))]), 1)];
        let pool = Pool::new(members, clock());
        let execution = pool.carry_out(&order(), &mut ()).await;
        assert_eq!(execution.result.signal, Signal::FailDefault);
        assert_eq!(pool.members[1].model.calls(), 0);
    }

    #[tokio::test]
    async fn c212_the_pool_spreads_work_within_every_providers_number() {
        let members =
            vec![member("a", Counting::default(), 2), member("b", Counting::default(), 1)];
        let pool = Pool::new(members, clock());
        let order = order();
        let all = futures_util::future::join_all((0..12).map(|_| pool.execute(&order))).await;
        assert!(all.iter().all(|result| result.signal == Signal::Success));
        assert_eq!(pool.members[0].model.most(), 2);
        assert_eq!(pool.members[1].model.most(), 1);
    }
}
