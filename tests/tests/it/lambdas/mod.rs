//! The Lambdas as they are deployed: the translated template with the real
//! bootstraps on an emulator of AWS, a person in the local Slack, and nothing
//! in between that isn't a Lambda.

mod access;
mod approvals;
mod clock;
mod counts;
mod flow;
mod google_kills;
mod kills;
mod logs;
mod model;
mod process;
mod stack;
mod two_people;
mod wire;
mod world;

use std::sync::LazyLock;
use tokio::runtime::Runtime;

/// One runtime for all tests: what a test starts for the others outlives it.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    // Other tests of this process may have installed one.
    drop(rustls::crypto::ring::default_provider().install_default());
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap()
});

fn run<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.block_on(work)
}
