//! Google's clients against the local Google, over real HTTP.

mod connect;
mod calendar;
mod support;
