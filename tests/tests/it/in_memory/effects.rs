use alfred_agent::model::Status;
use alfred_core::{ResponseType, Role};

use crate::in_memory::approvals::{click, sending, sent, stored, value, waiting};
use crate::in_memory::world::{mention, message};

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
                            let what = format!("{clicker} {workspace} {action}");
                            assert_eq!(sent(&world).len(), usize::from(sends), "{what}");
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
