//! What a step costs: time on the wall, and time of processors.
//!
//! In: nothing but the clock and what the kernel counts for this process. Out: both since a moment.
//! Never counts a process that was not waited for.

use std::time::{Duration, Instant};

/// The kernel counts in hundredths of a second, whatever its own clock does.
const TICKS_PER_SECOND: f64 = 100.0;

/// A moment to measure from.
pub(super) struct Clock {
    begin: Instant,
    processors: Option<f64>,
}

/// What was used since.
#[derive(Debug, Clone, Copy)]
pub(super) struct Used {
    /// Time on the wall.
    pub(super) wall: Duration,
    /// Seconds of processors, this process and its children; `None` where the kernel does not tell.
    pub(super) processors: Option<f64>,
}

impl Clock {
    /// Starts now.
    pub(super) fn start() -> Self {
        Self { begin: Instant::now(), processors: processor_seconds() }
    }

    /// Returns what was used since the start.
    pub(super) fn used(&self) -> Used {
        let processors = processor_seconds().zip(self.processors).map(|(now, then)| now - then);
        Used { wall: self.begin.elapsed(), processors }
    }
}

impl Used {
    /// Writes both as two columns.
    pub(super) fn columns(&self) -> String {
        let processors = self.processors.map_or("-".to_owned(), |seconds| format!("{seconds:.1}"));
        format!("{:>8.1} {processors:>8}", self.wall.as_secs_f64())
    }
}

fn processor_seconds() -> Option<f64> {
    seconds_in(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

// The program's name, in parentheses, may hold spaces; the fields after it are numbers. The 14th to
// 17th of all are the time of this process and of the children it waited for, theirs included.
fn seconds_in(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks: Vec<f64> =
        fields.split(' ').skip(11).take(4).map_while(|field| field.parse().ok()).collect();
    (ticks.len() == 4).then(|| ticks.iter().sum::<f64>() / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_children_is_counted() {
        let stat = "12 (a b) c) S 1 12 12 0 -1 4194304 1 2 3 4 150 50 700 100 20 0 1 0 9 8 7";
        assert_eq!(seconds_in(stat), Some(10.0));
        assert_eq!(seconds_in("12 (x) S 1 2"), None);
        let used = |processors| Used { wall: Duration::from_secs(4), processors };
        assert_eq!(used(Some(3.5)).columns(), "     4.0      3.5");
        assert_eq!(used(None).columns(), "     4.0        -");
    }
}
