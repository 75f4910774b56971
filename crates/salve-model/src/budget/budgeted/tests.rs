//! Calls on a budget, against models that fail in every way there is.

use super::*;
use crate::budget::{BudgetLevel, BudgetLimits};
use crate::cost::MicroDollars;
use crate::request::Turn;
use crate::testing::{Scripted, refused, text};
use salve_types::{FinishReason, Timestamp};
use std::sync::Mutex;

fn on(budget: &Budget, script: Vec<Result<ModelReply, ModelError>>) -> Budgeted<Scripted> {
    let capabilities = Arc::new(Capabilities::built_in());
    let limit = Duration::from_secs(10);
    Budgeted::new(Scripted::new(script), budget.clone(), capabilities, limit)
}

fn budget(limits: BudgetLimits) -> Budget {
    Budget::new(BudgetLevel::Run, limits, Consumption::default(), Arc::new(|| Timestamp(0)))
}

fn request(model: &str) -> ModelRequest {
    ModelRequest {
        model: model.to_owned(),
        turns: vec![Turn::user("hello")],
        max_output_tokens: 100,
        ..ModelRequest::default()
    }
}

#[tokio::test]
async fn a_call_that_does_not_fit_is_not_made() {
    let small = budget(BudgetLimits { tokens: Some(50), ..BudgetLimits::default() });
    let model = on(&small, vec![Ok(text("a"))]);
    let error = model.call(&request("grok-4"), &mut ()).await.unwrap_err();
    assert!(matches!(error, ModelError::OverBudget { .. }), "{error:?}");
    assert_eq!(model.model.calls(), 0);
    assert_eq!(small.spent(), Consumption::default());
}

#[tokio::test]
async fn usage_is_settled_at_the_models_price() {
    let wide =
        budget(BudgetLimits { money: Some(MicroDollars(1_000_000)), ..BudgetLimits::default() });
    on(&wide, vec![Ok(text("a"))]).call(&request("grok-4"), &mut ()).await.unwrap();
    let spent = wide.spent();
    // 10 tokens in at $3 and 5 out at $15 a million.
    assert_eq!((spent.spend, spent.attempts), (Spend { tokens: 15, micro_dollars: 105 }, 1));
}

#[tokio::test]
async fn under_a_money_limit_a_model_without_a_price_is_not_called() {
    let limited =
        budget(BudgetLimits { money: Some(MicroDollars(1_000_000)), ..BudgetLimits::default() });
    let model = on(&limited, vec![Ok(text("a"))]);
    let error = model.call(&request("smollm2"), &mut ()).await.unwrap_err();
    insta::assert_snapshot!(error, @"money is limited and the price of `smollm2` is not known; say it in `[[model]]`");
    let free = budget(BudgetLimits { tokens: Some(1000), ..BudgetLimits::default() });
    assert!(on(&free, vec![Ok(text("a"))]).call(&request("smollm2"), &mut ()).await.is_ok());
}

#[tokio::test]
async fn refusals_cost_an_attempt_and_what_is_unknown_costs_its_worst_case() {
    let no_usage = ModelReply { usage: None, ..text("a") };
    let broken = ModelReply { finish: Some(FinishReason::Disconnect), ..text("a") };
    let unreachable = ModelError::Unreachable { message: String::new() };
    let unconnected = ModelError::Unconnected { message: String::new() };
    let cases: Vec<(Result<ModelReply, ModelError>, bool)> = vec![
        (Err(refused(500)), false),
        (Err(refused(401)), false),
        (Err(unconnected), false),
        (Err(unreachable), true),
        (Ok(no_usage), true),
        (Ok(broken), true),
        (Err(ModelError::TimedOut { limit: Duration::ZERO, partial: Box::default() }), true),
    ];
    for (answer, unknown) in cases {
        let shown = format!("{answer:?}");
        let wide = budget(BudgetLimits::default());
        let _ = on(&wide, vec![answer]).call(&request("grok-4"), &mut ()).await;
        let spent = wide.spent();
        assert_eq!(spent.attempts, 1, "{shown}");
        assert_eq!(spent.spend.tokens > 100, unknown, "{shown}");
        assert_eq!(wide.held(), Consumption::default());
    }
}

/// Says a word and never ends.
struct Stuck;

impl Model for Stuck {
    async fn call(
        &self,
        _: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        watch.arrived("half");
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_call_gets_the_seconds_that_are_left_and_none_when_none_are() {
    let short = budget(BudgetLimits { seconds: Some(1), ..BudgetLimits::default() });
    let capabilities = Arc::new(Capabilities::built_in());
    let model = Budgeted::new(Stuck, short.clone(), capabilities, Duration::from_secs(300));
    let error = model.call(&request("m"), &mut ()).await.unwrap_err();
    let ModelError::TimedOut { limit, .. } = error else { panic!("{error:?}") };
    assert_eq!(limit, Duration::from_secs(1));
    let error = model.call(&request("m"), &mut ()).await.unwrap_err();
    insta::assert_snapshot!(error, @"the run budget has 0.000 seconds left and this call may take 300.000 seconds; raise `seconds` in `[budget.run]`");
}

#[tokio::test]
async fn a_call_that_is_given_up_is_spent_and_one_that_takes_too_long_keeps_what_came() {
    let wide = budget(BudgetLimits::default());
    let capabilities = Arc::new(Capabilities::built_in());
    let moment = Duration::from_millis(20);
    let model = Budgeted::new(Stuck, wide.clone(), Arc::clone(&capabilities), moment);
    let error = model.call(&request("m"), &mut ()).await.unwrap_err();
    let ModelError::TimedOut { partial, .. } = error else { panic!("{error:?}") };
    assert_eq!(partial.text, "half");
    let after_one = wide.spent();
    assert!(after_one.spend.tokens > 100 && after_one.millis <= 20);

    let patient = Budgeted::new(Stuck, wide.clone(), capabilities, Duration::from_secs(60));
    let asked = request("m");
    let mut nobody = ();
    let dropped = tokio::time::timeout(moment, patient.call(&asked, &mut nobody)).await;
    assert!(dropped.is_err());
    assert_eq!(wide.spent().spend.tokens, 2 * after_one.spend.tokens);
    assert_eq!(wide.held(), Consumption::default());
}

/// A provider that fails at random, and counts what it really made.
struct Meter {
    random: Mutex<fastrand::Rng>,
    made: Mutex<Usage>,
}

impl Model for Meter {
    async fn call(
        &self,
        request: &ModelRequest,
        watch: &mut dyn Watch,
    ) -> Result<ModelReply, ModelError> {
        let (kind, share) = {
            let mut random = self.random.lock().unwrap();
            (random.u32(0..9), random.u64(0..=u64::from(request.max_output_tokens)))
        };
        tokio::task::yield_now().await;
        match kind {
            0 => return Err(refused(429)),
            1 => return Err(refused(503)),
            2 => return Err(ModelError::Unconnected { message: String::new() }),
            _ => {}
        }
        let usage = Usage { input_tokens: 10, output_tokens: share, ..Usage::default() };
        *self.made.lock().unwrap() += usage;
        watch.arrived("x");
        let reply = ModelReply { usage: Some(usage), ..text("x") };
        match kind {
            3 => Err(ModelError::Unreachable { message: String::new() }),
            4 => Err(ModelError::TimedOut { limit: Duration::ZERO, partial: Box::new(reply) }),
            5 => Err(ModelError::Unreadable { message: String::new() }),
            6 => Ok(ModelReply { usage: None, finish: Some(FinishReason::Disconnect), ..reply }),
            7 => std::future::pending().await,
            _ => Ok(reply),
        }
    }
}

// One run: several callers at once, until the budget is used up or they had their turns. Returns
// what the provider really made.
async fn run(seed: u64, day: &Budget) -> (Usage, Consumption) {
    let mut random = fastrand::Rng::with_seed(seed);
    let limits = BudgetLimits {
        tokens: Some(random.u64(0..2_000)),
        money: Some(MicroDollars(random.u64(0..20_000))),
        attempts: Some(random.u64(0..20)),
        seconds: None,
    };
    let session = day.narrow(BudgetLevel::Session, limits);
    let meter = Arc::new(Meter {
        random: Mutex::new(fastrand::Rng::with_seed(seed ^ 1)),
        made: Mutex::default(),
    });
    let capabilities = Arc::new(Capabilities::built_in());
    let callers = (0..4).map(|_| {
        let budget = session.narrow(BudgetLevel::Run, BudgetLimits::default());
        let limit = Duration::from_millis(1);
        let model = Budgeted::new(Arc::clone(&meter), budget, Arc::clone(&capabilities), limit);
        async move {
            for tokens in [50, 200, 100, 300, 20] {
                let asked = ModelRequest { max_output_tokens: tokens, ..request("grok-3-mini") };
                let _ = model.call(&asked, &mut ()).await;
            }
        }
    });
    futures_util::future::join_all(callers).await;
    assert_eq!(session.held(), Consumption::default());
    let made = *meter.made.lock().unwrap();
    let spent = session.spent();
    assert!(spent.spend.tokens >= made.total(), "nothing that was made is missing");
    assert!(limits.tokens.is_none_or(|limit| made.total() <= limit), "overrun");
    let price = capabilities.of("grok-3-mini").price.unwrap();
    assert!(limits.money.is_none_or(|limit| price.cost(made) <= limit), "overrun");
    assert!(limits.attempts.is_none_or(|limit| spent.attempts <= limit), "overrun");
    (made, spent)
}

#[tokio::test]
async fn a_thousand_runs_with_failing_models_overrun_nothing() {
    let limit = 400_000;
    let limits = BudgetLimits { tokens: Some(limit), ..BudgetLimits::default() };
    let day =
        Budget::new(BudgetLevel::Day, limits, Consumption::default(), Arc::new(|| Timestamp(0)));
    let (mut made, mut spent) = (Usage::default(), Consumption::default());
    for seed in 0..1000 {
        let (one, its) = run(seed, &day).await;
        made += one;
        spent = spent.plus(its);
    }
    assert!(made.total() > 50_000, "the runs did something: {made:?}");
    assert!(made.total() <= limit && day.spent().spend.tokens <= limit, "overrun");
    assert_eq!(day.spent(), spent, "the day is the sum of its sessions");
}
