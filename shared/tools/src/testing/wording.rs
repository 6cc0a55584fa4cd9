//! Collects the errors of tools, for the model and for the person.

use alfred_agent::tool::ToolError;
use alfred_testkit::wording::is_for_people;
use serde_json::Value;

use super::ToolHarness;

/// Compares lines with a reviewed file beside `lib.rs`. `INSTA_UPDATE=always` accepts them.
pub(crate) fn assert_reviewed(file: &str, lines: &[String]) {
    let path = format!("{}/src/{file}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always") {
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    let reviewed = std::fs::read_to_string(&path).unwrap();
    let reviewed: Vec<&str> = reviewed.lines().collect();
    let gone = reviewed
        .iter()
        .filter(|old| !lines.iter().any(|line| line == *old));
    let gone = gone.map(|line| format!("- {line}"));
    let new = lines
        .iter()
        .filter(|line| !reviewed.contains(&line.as_str()));
    let changes: Vec<String> = gone.chain(new.map(|line| format!("+ {line}"))).collect();
    let accept = "Accept intended changes with INSTA_UPDATE=always cargo test -p alfred-tools";
    assert!(changes.is_empty(), "{}\n{accept}", changes.join("\n"));
    assert_eq!(lines, reviewed, "the order; {accept}");
}

impl ToolHarness {
    /// Runs a tool that fails; returns the error for the model.
    pub(crate) async fn fails(&self, name: &str, arguments: Value) -> String {
        self.both_told(name, arguments).await.0
    }

    async fn both_told(&self, name: &str, arguments: Value) -> (String, String) {
        match self.run(name, arguments).await {
            Err(ToolError::Failed(why)) => {
                let person = why.clone().said();
                is_for_people(&person);
                (why.message, person)
            }
            other => panic!("{name} gave {other:?}"),
        }
    }
}
