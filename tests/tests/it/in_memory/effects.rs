use alfred_agent::model::Status;
use alfred_core::envelope::ViewSubmission;
use alfred_core::{Envelope, Payload, ResponseType, Role};
use serde_json::{Map, Value, json};

use crate::in_memory::approvals::{click, sending, sent, stored, value, waiting};
use crate::in_memory::world::{World, mention, message};

use alfred_tests::event;

pub use alfred_tests::command;

/// A submitted modal as Slack sends it: the view's values with these texts changed.
pub fn submitted(view: &Value, changed: &[(&str, &str)], trigger: &str) -> Envelope {
    let mut values = Map::new();
    for block in view["blocks"].as_array().unwrap() {
        let id = block["block_id"].as_str().unwrap();
        let was = block["element"]["initial_value"].clone();
        let new = changed.iter().find(|(name, _)| id.starts_with(name));
        let text = new.map_or(was, |(_, text)| json!(text));
        values.insert(id.into(), json!({"value": {"value": text}}));
    }
    let submission = ViewSubmission {
        callback_id: view["callback_id"].as_str().unwrap().into(),
        view_id: "V1".into(),
        private_metadata: view["private_metadata"].as_str().unwrap().into(),
        values: Value::Object(values),
    };
    event("U1", &format!("trg:{trigger}"), Payload::View(submission))
}

impl World {
    /// Texts and values of the undo buttons in all replies.
    pub fn undo_buttons(&self) -> Vec<(String, String)> {
        let posted = self.chat.posted();
        let blocks = posted.iter().flat_map(|kept| kept.blocks.clone());
        let buttons = blocks
            .filter(|block| block["block_id"] == "undo")
            .flat_map(|block| block["elements"].as_array().cloned().unwrap());
        let shown = buttons.map(|button| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&button["text"]["text"]), text(&button["value"]))
        });
        shown.collect()
    }
}

pub fn undo_button(world: &World) -> String {
    world.undo_buttons().remove(0).1
}

/// Tries clicker × owner × clicker's role × place of the request × workspace.
#[tokio::test]
async fn only_the_owner_in_their_workspace_decides_whatever_the_rest() {
    let mut tried = 0;
    for clicker in ["U1", "U2", "U3", "UX"] {
        for role in [Role::Admin, Role::Member, Role::Guest] {
            for thread in [None, Some("1.1")] {
                for channel in [false, true] {
                    for workspace in ["T1", "T2"] {
                        for action in ["approval_approve", "approval_reject", "approval_remember"] {
                            let mut world = sending().await;
                            if clicker == "U3" {
                                world.register("U3", "Chiyo", role).await;
                            }
                            let request = match channel {
                                true => mention("1.1", "Ask Ben"),
                                false => {
                                    message("U1", "DU1", "1.1", thread, ResponseType::Dm, "Ask Ben")
                                }
                            };
                            world.ask(request).await;
                            let approval = waiting(&world).await.remove(0);
                            let mut clicked = click(clicker, action, &value(&approval), "t1");
                            clicked.team = workspace.into();
                            world.ask(clicked).await;
                            let counts = clicker == "U1" && workspace == "T1";
                            let sends = counts && action != "approval_reject";
                            assert_eq!(
                                sent(&world).len(),
                                usize::from(sends),
                                "{clicker} {workspace} {action}"
                            );
                            let status = stored(&world, &approval).await.status;
                            assert_eq!(status != Status::Pending, counts);
                            tried += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(tried, 4 * 3 * 2 * 2 * 2 * 3);
}
