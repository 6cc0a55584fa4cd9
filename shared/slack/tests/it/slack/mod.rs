//! The Slack client against the strict local Slack, through real HTTP: every
//! method, every class of outcome.

mod changing;
mod channels;
mod files;
mod outcomes;
mod pace;
mod pictures;
mod reading;
mod world;
