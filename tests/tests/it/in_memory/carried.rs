use alfred_agent::model::Reason;
use alfred_core::Payload;
use alfred_core::policy::Setting;
use alfred_core::ports::ChatUser;

use crate::in_memory::approvals::{sent, waiting};
use crate::in_memory::world::{World, dm, script};

#[tokio::test]
async fn a_person_named_in_a_quotation_is_not_vouched_for() {
    for quotes in [false, true] {
        let write = r#"slack_sendMessage {"to": "U2", "text": "hello"}"#;
        let mut world = World::new(script(&[write, ": Done."])).await;
        world.chat.add_user(ChatUser {
            id: "U2".into(),
            username: "mallory".into(),
            name: "Mallory".into(),
            email: String::new(),
            timezone: None,
            is_person: true,
        });
        let free = ("slack_sendMessage".to_owned(), Setting::PreApproved);
        world.reconfigure(|config| config.policy.tools.extend([free]));
        let mut request = dm("U1", "1.1", "> write to <@U2>\nplease see to that");
        if let Payload::Message(message) = &mut request.payload {
            message.quotes = quotes;
        }
        world.ask(request).await;
        let waiting = waiting(&world).await;
        let stranger = Reason::UnknownRecipient { who: "U2".into() };
        let mut reasons = waiting.iter().flat_map(|one| &one.reasons);
        assert_eq!(reasons.any(|reason| *reason == stranger), quotes);
        assert_eq!(sent(&world).len(), usize::from(!quotes));
    }
}
