//! Whole flows over ports in memory: from an envelope to the answer, with
//! faults at every call.

mod conversations;
mod crashes;
mod replies;
mod teams;
mod tools;
mod turns;
mod world;
