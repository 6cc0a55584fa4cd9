//! What a person wants of a day's plan, beyond their preferences.

mod table;

#[cfg(test)]
mod tests;

pub use table::{Changes, Moved, Stretch, Wish};

use crate::whole_words::contains_words;

/// Whether a title contains these words as whole words, ignoring case.
pub fn is_meant(title: &str, words: &str) -> bool {
    let words = words.trim().to_lowercase();
    !words.is_empty() && contains_words(&title.to_lowercase(), &words)
}
