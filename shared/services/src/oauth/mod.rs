//! What people consented to at a provider, and the tokens that follow from it.

mod client;
mod connections;
mod consent;
mod flights;
mod rows;
mod state;
mod tokens;

pub use client::{ClientSecret, OAuthClient};
pub use connections::Connections;
pub use consent::{Arriving, Connected, Consent, ConsentError};
pub use tokens::Tokens;
