//! People's Microsoft 365 accounts, each by their own consent.

mod endpoints;

pub use endpoints::Endpoints;
