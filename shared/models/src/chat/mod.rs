//! Chat completions, the API that nearly all servers offer.

mod answer;
mod calls;
mod messages;
mod wire;

pub(super) use wire::Chat;
