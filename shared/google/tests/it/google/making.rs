//! A new file, while Drive's search takes long.

use alfred_core::ports::{AccountError, Documents};
use alfred_google_local::{Fault, Hold, Options, Release};
use std::time::Duration;

use super::support::{World, account, is_unknown};

#[tokio::test]
async fn a_slow_search_takes_nothing_from_the_time_in_which_a_lost_upload_may_still_be_at_work() {
    let minutes = Duration::from_secs(180);
    let options = Options {
        search_lag: minutes,
        ..Options::default()
    };
    let world = World::with(options).await;
    let create = async || {
        world
            .google
            .create(&account(), "Agenda", "one", "key")
            .await
    };
    world
        .local()
        .fail_next("drive.files.create", 1, Fault::DropAfter);
    let mut gate = world.local().hold("drive.files.list", Hold::BeforeEffect);
    let slow = async {
        let held = gate.arrived().await;
        drop(gate);
        world.clock.advance(minutes);
        held.release(Release::Complete);
    };
    let (lost, ()) = tokio::join!(create(), slow);
    assert!(is_unknown(&lost));
    let again: Result<_, AccountError> = create().await;
    assert!(is_unknown(&again));
    assert_eq!(world.files("Agenda").len(), 1);
}
