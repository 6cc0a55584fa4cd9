//! Google's clients against the local Google, over real HTTP.

mod connect;
mod support;
