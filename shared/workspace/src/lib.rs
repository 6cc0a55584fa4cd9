#![doc = include_str!("../README.md")]

mod calendar;
mod caller;
mod documents;
mod folder;
mod mail;
mod person;
mod port;
mod sample;

pub use alfred_smtp::Smtp;
pub use calendar::CalDavServer;
pub use person::Identity;
pub use port::Workspace;
pub use sample::Sample;

use alfred_core::ports::AccountError;

pub(crate) type Result<T, E = AccountError> = std::result::Result<T, E>;
