use alfred_core::ports::ChatUser;
use alfred_core::{ResponseType, text};

use crate::in_memory::conversations::echo;
use crate::in_memory::world::{World, dm};

const ONLY_ADMINISTRATORS: &str =
    "Only an administrator can do that. I can look people up for you instead.";

fn command(user: &str, n: u32, text: &str) -> alfred_core::Envelope {
    alfred_core::Envelope {
        identity: format!("trg:{n}"),
        trace_id: alfred_core::TraceId::derive(&"T1".into(), &format!("trg:{n}")),
        trigger: n.to_string(),
        payload: alfred_core::Payload::Command(alfred_core::envelope::Command {
            command: "/alfred".into(),
            text: text.into(),
            reply_to: alfred_core::ReplyAddress {
                channel: format!("D{user}").as_str().into(),
                thread_ts: None,
                response_type: ResponseType::Dm,
            },
        }),
        ..dm(user, "1.1", "")
    }
}

#[tokio::test]
async fn administrators_register_and_remove_people_by_command() {
    let mut world = World::new(echo()).await;
    world.register("U5", "Rita", alfred_core::Role::Admin).await;
    world.chat.add_user(ChatUser {
        id: "U2".into(),
        username: "ben".into(),
        name: "Ben".into(),
        email: String::new(),
        timezone: Some("Mars/Olympus".into()),
        is_person: true,
    });
    world.say(command("U1", 1, "users add <@U2|ben>")).await;
    world
        .say(command("U5", 2, "users add <@U2|ben> guest"))
        .await;
    world.say(command("U5", 3, "users add <@U8|nobody>")).await;
    world.say(command("U5", 4, "users add <@U5> member")).await;
    world.say(command("U5", 5, "users add <@U2> king")).await;
    let ben = alfred_agent::store::users::get(&*world.store, &"T1".into(), &"U2".into())
        .await
        .unwrap();
    let ben = ben.unwrap().user;
    assert_eq!(ben.role, alfred_core::Role::Guest);
    assert_eq!(ben.timezone.as_str(), "UTC");
    world.say(dm("U2", "2.1", "hi")).await;
    world.say(command("U5", 6, "users remove U2")).await;
    world.say(dm("U2", "3.1", "hi again")).await;
    assert_eq!(
        world.said(),
        [
            ONLY_ADMINISTRATORS,
            "Ben is registered as a guest, who may only read.",
            "I can't find that person. Please mention somebody of this workspace.",
            "You can't change your own role. Please ask another administrator.",
            "I didn't get that. Try `/alfred users add @person member` (or admin, or guest), `/alfred users remove @person`, or `/alfred users list`.",
            "you said: hi",
            "Ben is no longer served. Their data stays until it is deleted.",
            text::NOT_RECOGNISED,
        ]
    );
}
