use super::*;
use crate::Registry;
use alfred_agent::Program;
use alfred_agent::model::{Reason, Snapshot, Source};
use alfred_agent::policy::{Facts, Requirement, require};
use alfred_core::policy::Setting;
use alfred_core::{Role, Taint};
use alfred_testkit::mcp_server::McpServer;

const LOOK_UP: &str = "mcp__shop__look_up";

fn lead(shop: &McpServer) -> Snapshot {
    let mcp = json!({
        "servers": {"shop": shop.settings()}, "tools": ["shop/look.up"],
        "approval": {"default": "preApproved"},
    });
    let text = format!("name: lead\ntoolsets: {{mcp: {mcp}}}\ninstructions: x");
    Snapshot::of("team", [("lead", &*text)])
}

fn program(snapshot: &Snapshot, factory: Factory<'static>) -> Result<Program, String> {
    let mut registry = Registry::default();
    registry.register(crate::mcp::NAME, factory).unwrap();
    crate::program(snapshot, &registry).map_err(|error| error.to_string())
}

#[tokio::test]
async fn what_was_learnt_is_kept_and_every_resume_shows_the_same() {
    let (shop, host) = (McpServer::behaving("well"), Host::one_machine());
    let mut snapshot = lead(&shop);
    assert!(program(&snapshot, checked(host.clone())).is_ok());
    let unlearnt = program(&snapshot, toolset(host.clone())).err().unwrap();
    let expected = "worker lead: toolsets.mcp: what its servers say of these tools wasn't kept when the run began";
    assert_eq!(unlearnt, expected);
    assert_eq!(shop.starts(), 0);
    // Descriptions from the caller are discarded.
    let forged = Source {
        path: "mcp:lead".into(),
        text: "{}".into(),
    };
    snapshot.beside.push(forged);
    crate::mcp::learn(&mut snapshot, &host).await.unwrap();
    let kept: Vec<&str> = snapshot.beside.iter().map(|file| &*file.text).collect();
    let schema = r#"{"properties":{"what":{"type":"string"}},"required":["what"],"type":"object"}"#;
    let described = format!(r#"{{"description":"Looks things up.","schema":{schema}}}"#);
    assert_eq!(kept, [format!(r#"{{"{LOOK_UP}":{described}}}"#)]);
    for _ in 0..2 {
        let program = program(&snapshot, toolset(host.clone())).unwrap();
        let spec = program.own.tools.get(LOOK_UP).unwrap().spec();
        assert_eq!(spec.description, "Looks things up.");
        assert_eq!(spec.parameters.to_string(), schema);
    }
    assert_eq!(shop.starts(), 1, "binding asks nobody");
}

#[tokio::test]
async fn it_reaches_others_whatever_its_server_says_and_a_file_spares_no_hard_question() {
    // The server claims that its tool only reads.
    let (shop, host) = (McpServer::behaving("orders"), Host::one_machine());
    let mut snapshot = lead(&shop);
    crate::mcp::learn(&mut snapshot, &host).await.unwrap();
    let program = program(&snapshot, toolset(host)).unwrap();
    let tool = program.own.tools.get(LOOK_UP).unwrap();
    assert!(tool.def().described_by_others);
    let file = program.own.approval.get(LOOK_UP).copied();
    assert_eq!(file, Some(Setting::PreApproved));
    let needs = |configured: Option<Setting>, taint: &Taint| {
        require(&Facts {
            configured: [None, configured, None],
            ..Facts::of(tool.def(), Role::Member, taint)
        })
    };
    let described = Taint {
        untrusted: ["mcp".to_owned()].into(),
        ..Taint::default()
    };
    let outward = Requirement::NeedsApproval(vec![Reason::Outward]);
    assert_eq!(needs(None, &described), outward);
    assert_eq!(needs(file, &described), Requirement::Skip);
    let read = Taint {
        private: ["task_viewTasks".to_owned()].into(),
        ..described
    };
    let two = Requirement::NeedsApproval(vec![Reason::RuleOfTwo {
        untrusted: vec!["mcp".into()],
        private: vec!["task_viewTasks".into()],
    }]);
    assert_eq!(needs(file, &read), two);
}
