//! The web as a client meets it: search providers and pages over real HTTP, pages over real TLS.

mod inward;
mod one_click;
mod pages;
mod providers;
mod site;
