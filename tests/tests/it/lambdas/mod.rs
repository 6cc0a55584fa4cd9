//! The deployed Lambdas: the translated template with the real bootstraps on an AWS emulator, and a person in the
//! local Slack.

mod access;
mod approvals;
mod clock;
mod counts;
mod flow;
mod google_kills;
mod kills;
mod logs;
mod model;
mod outages;
mod process;
mod stack;
mod two_people;
mod wire;
mod world;

use std::sync::LazyLock;
use tokio::runtime::Runtime;

/// One runtime for all tests, so that shared servers outlive the test that starts them.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    // Fails if another test already installed it.
    drop(rustls::crypto::ring::default_provider().install_default());
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all().build().unwrap()
});

fn run<T>(work: impl Future<Output = T>) -> T {
    RUNTIME.block_on(work)
}
