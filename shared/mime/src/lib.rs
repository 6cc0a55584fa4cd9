//! Mails as bytes (RFC 5322): what a reader sees of them, and how one is written. Every provider of mail goes
//! through here, so that a mail reads the same wherever it lies.

pub mod clean;

mod compose;
mod html;
mod one_click;
mod parse;
mod unsubscribe;

pub use compose::{Draft, Itip, ascii_domain, digest};
pub use one_click::Verifier;
pub use parse::{Raw, TEXT, envelope, message_id};

/// The words of HTML, laid out as a reader without style would: its first million bytes, however it is nested.
pub fn html_to_text(html: &str) -> String {
    html::to_text(html)
}

/// How deep elements of HTML nest at most, as far as tags tell: what parsers and layouts of it cost.
pub fn nesting(html: &str) -> usize {
    html::depth(html)
}

/// What stands in HTML as text on one line: `&amp;` is `&`.
pub fn unescaped(html: &str) -> String {
    mail_parser::decoders::html::html_to_text(html)
}
