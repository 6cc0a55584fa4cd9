//! Notices to strangers and for events without a run: each arrives exactly once.

use alfred_core::ports::{ChatError, QueueName};
use alfred_core::{Envelope, Failure, ResponseType, text};
use alfred_testkit::When;
use std::time::Duration;

use crate::in_memory::world::{World, by_progress, message};

async fn world() -> World {
    World::new(by_progress(vec![])).await
}

fn stranger() -> Envelope {
    let place = ResponseType::Channel;
    message("U9", "C1", "1.1", Some("1.1"), place, "let me in")
}

#[tokio::test]
async fn slacks_own_wait_goes_to_the_queue() {
    let world = world().await;
    for call in ["chat.post", "chat.find"] {
        let retry_after = Duration::from_secs(70);
        let limited = ChatError::RateLimited { retry_after };
        world.faults.fail_next(call, When::Before, limited);
        let failure = world.deliver(QueueName::Ingress, &stranger()).await;
        let Err(Failure::Retry { after, .. }) = failure else {
            panic!("{failure:?}");
        };
        assert_eq!(after, Some(retry_after), "{call}");
    }
    world.receive(&stranger()).await;
    assert_eq!(world.answers(), [text::NOT_RECOGNISED]);
}
