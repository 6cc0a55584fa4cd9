//! What a person consented to at a provider, and the tokens that follow from it.

mod tokens;

pub use tokens::Tokens;
