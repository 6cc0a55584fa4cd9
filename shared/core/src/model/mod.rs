//! Helpers shared by all model adapters. They do no I/O.

mod alternating;
mod said;
mod spoken;

pub use alternating::{Blocks, USER, alternating};
pub use said::{Said, Unusable, before_call, before_message, given};
pub use spoken::{allows_strict, in_words, is_about_length, plain, sendable, sendable_object};
