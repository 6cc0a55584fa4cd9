//! Kills the worker at every call of a request with a live message: in the end there is one whole reply, and nothing
//! half done.

use alfred_core::ports::{Call, Intercept, QueueName};
use alfred_core::{Deadline, Envelope, Payload};
use alfred_testkit::{Kept, calls, intercepted, says};
use alfred_tests::{Functions, event, on_the_wire, own_dm};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::Notify;

use crate::in_memory::world::{World, by_progress, click, dm, mention};

/// Lets the process die at one call: from then on no call of it ends.
#[derive(Default)]
struct Death {
    at: usize,
    after_effect: bool,
    calls: AtomicUsize,
    is_dead: AtomicBool,
    died: Notify,
}

impl Intercept for Death {
    async fn call<T: Send, E: Send + 'static>(
        &self,
        _: Call<'_>,
        work: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        let number = self.calls.fetch_add(1, Ordering::SeqCst);
        if self.is_dead.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        if number != self.at {
            return work.await;
        }
        if self.after_effect {
            drop(work.await);
        }
        self.is_dead.store(true, Ordering::SeqCst);
        self.died.notify_one();
        std::future::pending().await
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scene {
    /// In the direct message, where the live message is edited.
    Flat,
    /// In a channel's thread, where it is a stream.
    Thread,
    Approval,
    /// The person stops the request after the worker has died.
    Stopped,
}

impl Scene {
    async fn world(self) -> World {
        let noon = r#"{"to": "U2", "text": "noon?"}"#;
        let mut asked = calls(&[match self {
            Self::Approval => ("c1", "slack_sendMessage", noon),
            _ => ("c1", "task_createTask", "{\"title\": \"one\"}"),
        }]);
        asked.text = "I do that now, and tell you then.".to_owned();
        let answer = says("This is the whole answer to it.");
        let mut world = World::new(by_progress(vec![asked, answer])).await;
        world.change_ports(|ports| ports.live = true);
        world.register("U2", "Ben", alfred_core::Role::Member).await;
        world
    }

    fn request(self) -> Envelope {
        match self {
            Self::Thread => mention("1.1", "do it"),
            Self::Flat | Self::Approval | Self::Stopped => dm("U1", "1.1", "do it"),
        }
    }
}

/// The message for the worker is delivered to a process that dies. False if it ended before.
async fn dies(world: &World, death: &Arc<Death>, queue: QueueName, envelope: &Envelope) -> bool {
    let mut ports = world.ports.clone();
    ports.store = intercepted(death.clone(), ports.store);
    ports.chat = intercepted(death.clone(), ports.chat);
    ports.queue = intercepted(death.clone(), ports.queue);
    let functions = Functions::new(ports, world.vault.clone());
    let envelope = on_the_wire(envelope);
    let work = functions.handle(queue, &envelope, Deadline::none());
    tokio::select! {
        biased;
        () = death.died.notified() => true,
        handled = work => {
            handled.unwrap();
            false
        }
    }
}

fn assert_whole(world: &World, what: &str) {
    assert_eq!(world.dead.len(), 0, "{what}: {:?}", world.dead);
    let key = |kept: &Kept| kept.idempotency_key.clone().unwrap_or_default();
    let mut replies = world.chat.posted();
    replies.retain(|kept| !key(kept).starts_with("card:") && kept.channel.as_str() != "D2");
    let said = world.answers().join("\n");
    let whole = ["This is the whole answer to it.", "Stopped, as you asked."];
    let count = whole.map(|text| said.matches(text).count());
    assert_eq!(count.iter().sum::<usize>(), 1, "{what}: {said}");
    assert_eq!(replies.len(), 1, "{what}: {replies:#?}");
    assert_eq!(world.chat.unfinished(), 0, "{what}: half a message is left");
}

/// Presses the card's button. The card comes at once, or once the watchdog has looked.
async fn approve(world: &mut World, what: &str) {
    world.sweep().await;
    if world.chat.posted().is_empty() {
        world.clock.advance(std::time::Duration::from_secs(360));
        world.sweep().await;
    }
    let card = world.chat.posted().remove(0);
    assert_eq!(world.chat.unfinished(), 0, "{what}: beside the card");
    let blocks = card.blocks.iter();
    let elements = blocks.filter_map(|block| block["elements"].as_array());
    let is_approve = |element: &&Value| element["text"]["text"] == "Approve";
    let approve = elements.flatten().find(is_approve).unwrap();
    let [action, value] = ["action_id", "value"].map(|name| approve[name].as_str().unwrap());
    let trigger = world.next_trigger();
    world.say(click("U1", action, value, &trigger)).await;
}

async fn kill_everywhere(scene: Scene) {
    let mut kills = 0;
    // The message is delivered again, or lost and found by the watchdog.
    for (after_effect, is_lost) in [(false, false), (true, false), (false, true), (true, true)] {
        for at in 0.. {
            let what = format!("{scene:?}, call {at}, after {after_effect}, lost {is_lost}");
            let mut world = scene.world().await;
            world.receive(&scene.request()).await;
            let (queue, envelope) = world.next().unwrap();
            let death = Arc::new(Death {
                at,
                after_effect,
                ..Death::default()
            });
            let died = dies(&world, &death, queue, &envelope).await;
            if scene == Scene::Stopped {
                let reply_to = own_dm("U1");
                let stop = event("U1", "evt:stop", Payload::Stop { reply_to });
                world.deliver(QueueName::Ingress, &stop).await.unwrap();
            }
            if died && !is_lost {
                world.deliver_again(queue, &envelope, true).await.unwrap();
            }
            if scene == Scene::Approval {
                approve(&mut world, &what).await;
            }
            world.settle().await;
            assert_whole(&world, &what);
            if !died {
                break;
            }
            kills += 1;
        }
    }
    println!("{kills} kills of {scene:?}");
    assert!(kills > 20, "{scene:?}: {kills}");
}

#[tokio::test]
async fn a_worker_killed_anywhere_leaves_one_reply() {
    for scene in [Scene::Flat, Scene::Thread, Scene::Stopped, Scene::Approval] {
        kill_everywhere(scene).await;
    }
}
