//! What people see in Slack: cards, replies, buttons, notices.

pub mod card;
pub mod connect;
pub mod content;
pub mod edit;
pub mod home;
pub mod live;
pub mod notice;
pub mod options;
pub mod respond;
pub mod rich_text;
pub mod show;
pub mod status;
pub mod thread;
pub mod undo;
pub mod written;
