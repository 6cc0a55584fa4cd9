//! What tools say when they can't, and whether it is for people.

use alfred_agent::tool::ToolError;
use alfred_testkit::wording::is_for_people;
use serde_json::Value;

use super::ToolHarness;

impl ToolHarness {
    /// Runs a tool that tells the model why it can't; what it says.
    pub(crate) async fn fails(&self, name: &str, arguments: Value) -> String {
        match self.run(name, arguments).await {
            Err(ToolError::Failed(why)) => {
                is_for_people(&why.clone().said());
                why.message
            }
            other => panic!("{name} gave {other:?}"),
        }
    }

    /// What a tool says to each of these calls, a line a call.
    pub(crate) async fn refusals(
        &self,
        name: &str,
        calls: impl IntoIterator<Item = Value>,
    ) -> String {
        let mut said = Vec::new();
        for arguments in calls {
            said.push(self.fails(name, arguments).await);
        }
        said.join("\n")
    }
}
