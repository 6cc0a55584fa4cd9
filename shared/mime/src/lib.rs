//! Reads and writes mails as bytes (RFC 5322). All mail providers use it, so a mail reads the same
//! everywhere.

pub mod clean;

mod compose;
mod html;
mod one_click;
mod parse;
mod unsubscribe;

pub use compose::{Draft, ascii_domain, digest, message_id_of};
pub use html::{html_to_text, nesting};
pub use one_click::Verifier;
pub use parse::{Raw, TEXT, envelope, message_id};

/// Decodes HTML entities: `&amp;` is `&`.
pub fn unescaped(html: &str) -> String {
    mail_parser::decoders::html::html_to_text(html)
}
