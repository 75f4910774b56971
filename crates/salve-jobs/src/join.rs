//! Several things of a flow at the same time.
//!
//! In: futures of a flow. Out: their results. Never asks who woke it: every future that has not ended
//! is polled in the order in which it was given, so that a replay does exactly the same again.

use crate::Fut;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Waits for all of them; the results are in the order of the futures.
#[must_use]
pub fn join<T: Send + Unpin + 'static>(all: Vec<Fut<'static, T>>) -> Fut<'static, Vec<T>> {
    let at_once = all.len();
    join_limited(at_once, all)
}

/// Waits for all of them, of which at most `at_once` (and at least one) are under way; a later one is
/// begun when an earlier one has ended. The results are in the order of the futures.
#[must_use]
pub fn join_limited<T: Send + Unpin + 'static>(
    at_once: usize,
    all: Vec<Fut<'static, T>>,
) -> Fut<'static, Vec<T>> {
    let slots = all.into_iter().map(Slot::Open).collect();
    Box::pin(Joined { slots, at_once: at_once.max(1) })
}

/// Waits for the first of them and returns which it was; the others are dropped, which cancels them.
/// Of several that are ready together the first in order wins. Without any it never ends.
#[must_use]
pub fn race<T: Send + 'static>(all: Vec<Fut<'static, T>>) -> Fut<'static, (usize, T)> {
    Box::pin(Raced { all })
}

enum Slot<T> {
    Open(Fut<'static, T>),
    Ended(T),
    Taken,
}

struct Joined<T> {
    slots: Vec<Slot<T>>,
    at_once: usize,
}

impl<T: Unpin> Future for Joined<T> {
    type Output = Vec<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Vec<T>> {
        let at_once = self.at_once;
        let mut open = 0;
        for slot in &mut self.slots {
            if open == at_once {
                break;
            }
            let Slot::Open(future) = slot else { continue };
            match future.as_mut().poll(context) {
                Poll::Ready(value) => *slot = Slot::Ended(value),
                Poll::Pending => open += 1,
            }
        }
        if open > 0 {
            return Poll::Pending;
        }
        let taken = self.slots.iter_mut().map(|slot| std::mem::replace(slot, Slot::Taken));
        Poll::Ready(taken.filter_map(Slot::ended).collect())
    }
}

impl<T> Slot<T> {
    fn ended(self) -> Option<T> {
        match self {
            Self::Ended(value) => Some(value),
            Self::Open(_) | Self::Taken => None,
        }
    }
}

struct Raced<T> {
    all: Vec<Fut<'static, T>>,
}

impl<T> Future for Raced<T> {
    type Output = (usize, T);

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<(usize, T)> {
        let winner = self.all.iter_mut().enumerate().find_map(|(index, future)| {
            match future.as_mut().poll(context) {
                Poll::Ready(value) => Some((index, value)),
                Poll::Pending => None,
            }
        });
        winner.map_or(Poll::Pending, |winner| {
            self.all.clear();
            Poll::Ready(winner)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use std::task::Waker;

    // A future that is ready at its n-th poll and writes down when it was first and last polled.
    fn after(polls: u32, name: u32, log: &Arc<Mutex<Vec<String>>>) -> Fut<'static, u32> {
        let log = Arc::clone(log);
        let mut left = polls;
        let mut begun = false;
        Box::pin(std::future::poll_fn(move |_| {
            let mut log = log.lock().unwrap();
            if !std::mem::replace(&mut begun, true) {
                log.push(format!("begin {name}"));
            }
            if left == 0 {
                log.push(format!("end {name}"));
                return Poll::Ready(name);
            }
            left -= 1;
            Poll::Pending
        }))
    }

    fn run<T>(mut future: Fut<'static, T>) -> T {
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..100 {
            if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
                return value;
            }
        }
        panic!("it did not end");
    }

    #[test]
    fn join_keeps_the_order_whoever_ends_first() {
        let log = Arc::default();
        let all =
            [3, 0, 1].iter().zip(0..).map(|(polls, name)| after(*polls, name, &log)).collect();
        assert_eq!(run(join(all)), [0, 1, 2]);
        assert_eq!(run(join(Vec::<Fut<'static, ()>>::new())), []);
    }

    #[test]
    fn never_more_than_the_limit_are_under_way() {
        for limit in 1..=5 {
            let log: Arc<Mutex<Vec<String>>> = Arc::default();
            let polls = [2, 0, 3, 1, 1];
            let all = polls.iter().zip(0..).map(|(polls, name)| after(*polls, name, &log));
            assert_eq!(run(join_limited(limit, all.collect())), [0, 1, 2, 3, 4]);
            let (mut open, mut most) = (0_i32, 0_i32);
            for line in log.lock().unwrap().iter() {
                open += if line.starts_with("begin") { 1 } else { -1 };
                most = most.max(open);
            }
            assert!(usize::try_from(most).unwrap() <= limit, "{most} > {limit}");
        }
    }

    #[test]
    fn the_first_that_is_ready_wins_and_the_others_are_dropped() {
        let log = Arc::default();
        let all =
            [3, 1, 1].iter().zip(0..).map(|(polls, name)| after(*polls, name, &log)).collect();
        assert_eq!(run(race(all)), (1, 1));
        assert_eq!(Arc::strong_count(&log), 1);
    }
}
