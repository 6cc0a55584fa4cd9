//! Notices to strangers and for events without a run: each arrives exactly once.

use alfred_core::envelope::Click;
use alfred_core::ports::{ChatError, QueueName};
use alfred_core::{Envelope, Failure, Payload, ReplyAddress, ResponseType, text};
use alfred_testkit::When;
use std::time::Duration;

use crate::in_memory::world::{World, by_progress, dm, message};

async fn world() -> World {
    World::new(by_progress(vec![])).await
}

fn stranger() -> Envelope {
    let place = ResponseType::Channel;
    message("U9", "C1", "1.1", Some("1.1"), place, "let me in")
}

fn refused(code: &str) -> ChatError {
    ChatError::Refused {
        method: "chat.postMessage",
        code: code.into(),
    }
}

#[tokio::test]
async fn slacks_own_wait_goes_to_the_queue() {
    let world = world().await;
    for call in ["chat.post", "chat.find"] {
        let limited = ChatError::RateLimited {
            retry_after: Duration::from_secs(70),
        };
        world.faults.fail_next(call, When::Before, limited);
        let failure = world.deliver(QueueName::Ingress, &stranger()).await;
        let Err(Failure::Retry { after, .. }) = failure else {
            panic!("{failure:?}");
        };
        assert_eq!(after, Some(Duration::from_secs(70)), "{call}");
    }
    world.receive(&stranger()).await;
    assert_eq!(world.answers(), [text::NOT_RECOGNISED]);
}

#[tokio::test]
async fn a_private_notice_that_slack_wont_show_goes_to_the_direct_message() {
    let mut world = world().await;
    let click = Envelope {
        identity: "trg:9".into(),
        payload: Payload::Click(Click {
            action_id: "of_an_old_release".into(),
            value: String::new(),
            message_ts: None,
            view_id: None,
            reply_to: ReplyAddress {
                channel: "C1".into(),
                thread_ts: None,
                response_type: ResponseType::Channel,
            },
        }),
        ..dm("U1", "1.1", "")
    };
    let gone = refused("user_not_in_channel");
    world.faults.fail_next("chat.ephemeral", When::Before, gone);
    world.say(click).await;
    assert_eq!(
        world.answers(),
        ["I don't know that command. Write to me in plain words instead."]
    );
    assert_eq!(world.chat.posted()[0].channel.as_str(), "D1");
}
