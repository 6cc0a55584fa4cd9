//! What tools say when they can't, and whether it is for people.

use alfred_agent::tool::ToolError;
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

/// Nothing in it is for a model or a programmer: no name of a tool or an argument, no id, no digest. What is
/// quoted are somebody's own words.
fn is_for_people(words: &str) {
    let mut quoted = false;
    let own = words.chars().filter(|c| {
        quoted = match c {
            '“' => true,
            '”' => false,
            _ => quoted,
        };
        !quoted
    });
    let own: String = own.collect();
    let parts = own.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    for word in parts.filter(|word| !word.is_empty()) {
        let begins_small = word.starts_with(char::is_lowercase);
        let argument = begins_small && word.contains(char::is_uppercase);
        let digest = word.len() >= 16 && word.bytes().all(|b| b.is_ascii_hexdigit());
        assert!(
            !(argument || digest || word.contains('_')),
            "\"{word}\" isn't for people: {words}"
        );
    }
    let addressed = own.contains("the person ") || own.contains("the person'");
    assert!(!addressed, "{words}");
}
