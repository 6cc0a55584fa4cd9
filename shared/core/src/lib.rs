#![doc = include_str!("../README.md")]

pub mod config;
pub mod contract;
pub mod deadline;
pub mod diff;
pub mod digest;
pub mod envelope;
pub mod failure;
pub mod files;
pub mod html;
pub mod id;
pub mod invisible;
pub mod keys;
pub mod model;
pub mod policy;
pub mod ports;
pub mod progress;
pub mod redelivery;
pub mod source;
pub mod taint;
pub mod text;
mod tone;
pub mod user;

pub use config::{Config, ConfigError};
pub use contract::{
    EffectEntry, EffectState, FinalStatus, SlackContext, TeamConfig, TeamInput, UserContext,
    WorkerInput, WorkerOutput,
};
pub use deadline::Deadline;
pub use envelope::{Classified, Envelope, Payload, ReplyAddress, ResponseType};
pub use failure::{Failure, Result};
pub use id::{
    ApprovalId, ChannelId, FileId, RunId, ScheduleId, SessionId, TeamId, TraceId, UserId,
};
pub use policy::Policy;
pub use progress::{Long, Progress};
pub use source::Source;
pub use taint::Taint;
pub use tone::Tone;
pub use user::{Preferences, Role, User};
