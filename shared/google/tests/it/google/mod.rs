//! Google's clients against the local Google, over real HTTP.

mod calendar;
mod connect;
mod discovery;
mod docs;
mod files;
mod mail;
mod once;
mod sheets;
mod support;
