//! Collects the errors of tools, for the model and for the person.

use alfred_agent::tool::ToolError;
use alfred_testkit::wording::is_for_people;
use serde_json::Value;

use super::ToolHarness;

impl ToolHarness {
    /// Runs a tool that fails; returns the error for the model.
    pub(crate) async fn fails(&self, name: &str, arguments: Value) -> String {
        self.both_told(name, arguments).await.0
    }

    /// One line per call: the error for the model, and the text for the person if it differs.
    pub(crate) async fn refusals(
        &self,
        name: &str,
        calls: impl IntoIterator<Item = Value>,
    ) -> String {
        let mut said = Vec::new();
        for arguments in calls {
            let (model, person) = self.both_told(name, arguments).await;
            said.push(match person == model {
                true => model,
                false => format!("{model} | {person}"),
            });
        }
        said.join("\n")
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
