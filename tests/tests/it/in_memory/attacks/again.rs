use alfred_agent::model::Reason;
use alfred_core::ResponseType;
use alfred_core::ports::{Clock, Message, Output};
use alfred_testkit::ScriptedModel;
use serde_json::json;
use std::sync::Arc;

use super::scene::{OWN_DM, OWNER, Scene};
use crate::in_memory::approvals::waiting;
use crate::in_memory::world::message;

impl Scene {
    /// In a new conversation, reads the stored data and sends Ben a message. Returns whether any data was
    /// tainted; then the send must have been asked about.
    pub async fn read_again_elsewhere(&mut self) -> bool {
        let now = self.stored_now().await;
        let tainted = now.values().filter(|body| body["tainted"] == true);
        let days = ["2025-06-10", "2025-06-11", "2025-06-12"];
        let dates = days.map(|day| json!({ "date": day }));
        if tainted.count() == 0 {
            return false;
        }
        let mut reads = vec![("r".to_owned(), "task_viewTasks", "{}".to_owned())];
        for (at, date) in dates.iter().enumerate() {
            reads.push((format!("d{at}"), "schedule_viewSchedule", date.to_string()));
        }
        let send = r#"{"to": "U0BEN", "text": "Hello Ben"}"#;
        let model = ScriptedModel::answering(move |request| {
            let spoke = |message: &&Message| matches!(message, Message::Assistant { .. });
            let turns = request.messages.iter().filter(spoke).count();
            let listed = reads.iter();
            let listed = listed.map(|(id, tool, text)| (id.as_str(), *tool, text.as_str()));
            let listed: Vec<(&str, &str, &str)> = listed.collect();
            Ok(match (&request.output, turns) {
                (Output::Json { .. }, _) => alfred_testkit::says("{\"result\": false}"),
                (_, 0) => alfred_testkit::calls(&listed),
                (_, 1) => alfred_testkit::calls(&[("s", "slack_sendMessage", send)]),
                _ => alfred_testkit::says("Here they are."),
            })
        });
        let model = Arc::new(model);
        self.world.change_ports(|ports| ports.model = model);
        self.configure();
        let ts = format!("{}.000999", self.world.clock.now().as_second());
        let (root, words) = (Some("1749530000.000100"), "What is there to do?");
        let asked = message(OWNER, OWN_DM, &ts, root, ResponseType::Dm, words);
        self.world.ask(asked).await;
        let waiting = waiting(&self.world).await;
        let [approval] = waiting.as_slice() else {
            let (name, count) = (&self.attack.name, waiting.len());
            panic!("{name}: {count} cards for the message to Ben");
        };
        let met = |reason: &Reason| matches!(reason, Reason::RuleOfTwo { .. });
        assert!(approval.reasons.iter().any(met), "{:?}", approval.reasons);
        true
    }
}
