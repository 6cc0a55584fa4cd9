//! HTTP for this machine alone. Browsers bring any site's requests to 127.0.0.1, and other accounts
//! connect to it as they like: [`Guard`] turns away what doesn't come from a page of the server's own, or
//! names another host. [`serve`] bounds the number of connections and their time. Routes check for themselves
//! who somebody is. [`Faults`] is for the stand-ins of services.

mod faults;
mod guard;
mod serve;

pub use faults::{Call, Fault, Faults, Gate, HeldCall, Hold, Release};
pub use guard::Guard;
pub use serve::{BODY_WITHIN, CONNECTIONS, HEAD_WITHIN, outlive, serve};
