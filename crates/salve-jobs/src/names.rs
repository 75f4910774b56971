//! Names that this crate makes: of jobs without a name, and of the paid calls of steps.
//!
//! In: a job, a place in its flow, an attempt and an input. Out: the same key on every machine and
//! after every restart. Never two calls under one key.

use salve_types::{CallKey, JobId};

/// Makes a job's name that is not in use; later ones sort after earlier ones.
pub fn fresh_job_id() -> JobId {
    JobId::of_number(uuid::Uuid::now_v7().as_u128())
}

/// Makes the key of an attempt at a step. It begins with the job, so that its owner can be seen.
pub fn step_key(job: &JobId, position: u32, attempt: u32, input: &str) -> CallKey {
    let mut hasher = blake3::Hasher::new();
    hasher.update(job.as_str().as_bytes());
    hasher.update(&[0]);
    hasher.update(&position.to_le_bytes());
    hasher.update(&attempt.to_le_bytes());
    hasher.update(input.as_bytes());
    let hash = hasher.finalize().to_hex();
    CallKey::new(format!("{job}:{position}:{attempt}:{}", &hash[..24]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_name_is_a_root() {
        assert_eq!(fresh_job_id().parent(), None);
    }

    #[test]
    fn a_key_differs_by_everything_it_is_made_of() {
        let (a, b) = (JobId::new("a").unwrap(), JobId::new("b").unwrap());
        let key = step_key(&a, 1, 1, "x");
        assert_eq!(key, step_key(&a, 1, 1, "x"));
        assert_eq!(key.job(), Some(a.clone()));
        for other in [
            step_key(&b, 1, 1, "x"),
            step_key(&a, 2, 1, "x"),
            step_key(&a, 1, 2, "x"),
            step_key(&a, 1, 1, "y"),
        ] {
            assert_ne!(key, other);
        }
    }
}
