//! Channels that a person may know of.

use alfred_core::ports::{Chat, ChatChannel};
use alfred_slack_local::seed::{ALFRED, ANA, CHIYO};
use alfred_slack_local::{Channel, ChannelKind, Fault, Options, Seed};

use crate::slack::world::{code, kind, world};

#[tokio::test]
async fn a_person_knows_public_channels_and_their_own_private_ones() {
    let world = world(Options::default()).await;
    let names = async |user: &str| {
        let found = world.client.channels(&user.into()).await.unwrap();
        let name = |c: ChatChannel| (c.name, c.is_private, c.is_member);
        found.into_iter().map(name).collect::<Vec<_>>()
    };
    let public = [("general", true), ("marketing", true), ("random", false)];
    let mut expected: Vec<_> = public
        .iter()
        .map(|(name, member)| ((*name).to_owned(), false, *member))
        .collect();
    assert_eq!(names(CHIYO).await, expected);
    expected.push(("leaders".into(), true, true));
    assert_eq!(names(ANA).await, expected);
    let error = world.client.channels(&"U0X".into()).await.unwrap_err();
    assert_eq!(code(error), "user_not_found");
}

#[tokio::test]
async fn channels_go_through_all_pages() {
    let mut seed = Seed::default();
    for n in 0..1_500 {
        seed.channels.push(Channel {
            id: format!("C9{n:04}"),
            name: format!("c{n}"),
            kind: ChannelKind::Public,
            members: vec![ALFRED.into()],
            created: 0,
        });
    }
    let options = Options {
        seed,
        ..Options::default()
    };
    let world = world(options).await;
    let channels = world.client.channels(&CHIYO.into()).await.unwrap();
    assert_eq!(channels.len(), 1_503);
    let fault = Fault::RateLimited { seconds: 60 };
    world.slack().fail_next("users.conversations", 1, fault);
    let error = world.client.channels(&CHIYO.into()).await.unwrap_err();
    assert_eq!(kind(&error), "rate limited");
}
