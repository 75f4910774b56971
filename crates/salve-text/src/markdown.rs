//! What Markdown gives every stage that reads a reply: its fences.
//!
//! In: lines. Out: the fences they are. Never decides what a fence means.

mod fence;

pub(crate) use fence::{Fence, FenceStep, Fences, Lead, TICKS, ends_inside_fence, half_fence};
