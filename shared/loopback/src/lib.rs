//! HTTP for this machine alone. Browsers bring any site's requests to 127.0.0.1, and other accounts
//! connect to it as they like: [`Guard`] turns away what doesn't come from a page of the server's own, or
//! names another host, and [`serve`] bounds how many connections there are and how long they may dawdle.
//! Who somebody is, is for the routes themselves to find out. For the stand-ins of services, [`Faults`] and
//! connections that can be cut.

mod connection;
mod faults;
mod guard;
mod serve;

pub use connection::{CutSwitch, CuttableListener, CuttableStream, outlive};
pub use faults::{Call, Faults, Gate, HeldCall, Hold, Release};
pub use guard::Guard;
pub use serve::{BODY_WITHIN, CONNECTIONS, HEAD_WITHIN, serve};
