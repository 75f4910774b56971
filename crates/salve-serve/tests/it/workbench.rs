//! The workbench over real HTTP on loopback.
//!
//! In: a workbench on a folder, and a scripted model. Out: one test per promise. Never reaches another machine.

mod conversing;
mod forged;
mod images;
mod openapi;
mod plans;
mod screens;
mod stage;
