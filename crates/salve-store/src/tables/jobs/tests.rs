//! The index keeps every event it is given, once and in order.

use super::*;
use crate::tables::Conforming;
use crate::testing::{SECRET, redacted};
use salve_types::Needs;

pub(super) const ROWS: &str =
    "INSERT INTO jobs VALUES ('j/c', 1, 'j', 'F@1', 'h', '{}', 1000, NULL, 1, 2, NULL, NULL);
 UPDATE ledger SET next_job = 2;
 INSERT INTO texts VALUES ('t', CAST('kept' AS BLOB), 1000);
 INSERT INTO call_tries (call, epoch, state, worker, reserved_at, day, session, counted_tokens,
                         counted_micro_dollars, content)
 VALUES (2, 1, 'lost', 'older', 900, 5, 's', 4, 1, CAST('ear' AS BLOB));
 UPDATE calls SET epoch = 2 WHERE id = 2;
 UPDATE budgets SET spent_tokens = spent_tokens + 4,
                    spent_micro_dollars = spent_micro_dollars + 1;";

pub(super) fn conforms<'a>(store: &'a Store, text: &'a str) -> Conforming<'a> {
    Box::pin(async move {
        let job = |id: &JobId| NewJob {
            id: id.clone(),
            flow: FlowName::new("Generate", 1).expect("a name"),
            input_hash: text.to_owned(),
            needs: Needs { toolchain: Some(text.to_owned()), root: None },
        };
        let id = JobId::new(&format!("parent/{SECRET}")).expect("a name");
        for expected in [Registered::New, Registered::Same] {
            assert_eq!(store.register_job(job(&id)).await.expect("an answer"), expected);
        }
        let report =
            JobReport { id: id.clone(), from: (0, 0), to: (1, 2), events: Vec::new(), ended: None };
        assert!(store.report_job(report.clone()).await.expect("an answer"));
        assert!(!store.report_job(report).await.expect("an answer"), "it has moved on");
        assert!(store.request_cancel(&id, text).await.expect("an answer"));
        let row = store.job(&id).await.expect("read").expect("there");
        assert_eq!((row.reported, row.cancel_reason), ((1, 2), Some(redacted(text))));
        let other = JobId::new("other").expect("a name");
        let new = store.register_job(job(&other)).await.expect("an answer");
        assert_eq!(new, Registered::New);
        store.forget_jobs(&[other]).await.expect("forgotten");
        let jobs = store.jobs(&JobFilter::default(), &Page::default()).await;
        assert_eq!(jobs.expect("listed").len(), 1);
    })
}
