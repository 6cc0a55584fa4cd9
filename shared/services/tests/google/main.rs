//! Google's clients against the local Google, over real HTTP.

mod calendar;
mod connect;
mod support;
