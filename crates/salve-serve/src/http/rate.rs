//! How many requests a key may make in a minute.
//!
//! In: a key and its rate. Out: a place, or how long until the next one. Each key has a bucket
//! that fills at the key's rate, up to one minute's worth.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The buckets of all keys.
#[derive(Debug)]
pub(crate) struct Rates<K>(Mutex<HashMap<K, Bucket>>);

impl<K> Default for Rates<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl<K: Eq + Hash> Rates<K> {
    /// Takes a place for one request.
    pub(crate) fn take(&self, key: K, per_minute: u32, now: Instant) -> Result<(), Duration> {
        let most = f64::from(per_minute);
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.entry(key).or_insert(Bucket { left: most, at: now });
        let since = now.saturating_duration_since(bucket.at).as_secs_f64();
        bucket.left = (bucket.left + since * most / 60.0).min(most);
        bucket.at = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        // A rate of nothing lets nothing through; an hour says "not soon".
        let wait = if per_minute == 0 { 3600.0 } else { (1.0 - bucket.left) * 60.0 / most };
        Err(Duration::from_secs_f64(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minutes_worth_passes_at_once_and_then_the_rate() {
        let rates = Rates::default();
        let start = Instant::now();
        for _ in 0..6 {
            assert_eq!(rates.take(1, 6, start), Ok(()));
        }
        let wait = rates.take(1, 6, start).unwrap_err();
        assert_eq!(wait, Duration::from_secs(10));
        assert_eq!(rates.take(2, 6, start), Ok(()), "another key has its own");
        let later = start + Duration::from_secs(10);
        assert_eq!(rates.take(1, 6, later), Ok(()));
        assert!(rates.take(1, 6, later).is_err());
        assert!(rates.take(3, 0, later).is_err());
    }
}
