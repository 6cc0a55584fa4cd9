//! The administrator's approval settings: per tool, per worker, per person, and the overall mode.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

use crate::config::error::ConfigError;
use crate::config::variables::ALFRED_POLICY;
use crate::digest::{canonical_json, sha256_hex};
use crate::id::UserId;

/// Prefix of MCP tools: `mcp__SERVER__TOOL`. Only worker files know which exist.
pub const MCP_TOOLS: &str = "mcp__";

/// The approval settings. Unknown fields and settings are errors.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    pub mode: Mode,
    pub tools: BTreeMap<String, Setting>,
    /// Settings by worker, then tool.
    pub workers: BTreeMap<String, BTreeMap<String, Setting>>,
    /// Settings by person, then tool.
    pub users: BTreeMap<UserId, BTreeMap<String, Setting>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Interactive,
    /// Approves without asking, for tests. Refused with a real Slack.
    ApproveAll,
    /// Denies everything that needs approval.
    AutoDeny,
}

/// A tool's setting. Ordered from least to most strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Setting {
    #[serde(rename = "preApproved")]
    PreApproved,
    #[serde(rename = "ask")]
    Ask,
    #[serde(rename = "blocked")]
    Blocked,
}

impl Policy {
    /// The settings for a tool: general, for the calling worker, for the person.
    pub fn settings(&self, tool: &str, worker: &str, user: &UserId) -> [Option<Setting>; 3] {
        let within = |map: Option<&BTreeMap<String, Setting>>| map?.get(tool).copied();
        [
            self.tools.get(tool).copied(),
            within(self.workers.get(worker)),
            within(self.users.get(user)),
        ]
    }

    /// Checks that all named tools and workers exist; a misspelled name would block nothing. Fails with
    /// `Invalid` with the first unknown name and its place.
    pub fn check(
        &self,
        tools: &BTreeSet<&str>,
        workers: &BTreeSet<&str>,
    ) -> Result<(), ConfigError> {
        let unknown = |reason: String| ConfigError::invalid(ALFRED_POLICY, reason);
        let mut workers_named = self.workers.keys().map(String::as_str);
        if let Some(worker) = workers_named.find(|name| !workers.contains(name)) {
            let there_are = Vec::from_iter(workers.iter().copied()).join(", ");
            let reason =
                format!("workers: no worker \"{worker}\" calls tools; those that do: {there_are}");
            return Err(unknown(reason));
        }
        let users = self.users.iter();
        let users = users.map(|(user, set)| (format!("users.{user}"), set));
        let workers = self.workers.iter();
        let workers = workers.map(|(worker, set)| (format!("workers.{worker}"), set));
        let tools_of_all = [("tools".to_owned(), &self.tools)];
        for (place, set) in workers.chain(users).chain(tools_of_all) {
            let mut tools_named = set.keys().map(String::as_str);
            let unknown_tool = |name: &&str| !tools.contains(name) && !name.starts_with(MCP_TOOLS);
            if let Some(tool) = tools_named.find(unknown_tool) {
                let reason =
                    format!("{place}: there is no tool \"{tool}\"; `alfred tools` lists them");
                return Err(unknown(reason));
            }
        }
        Ok(())
    }

    /// A hash of the settings. Approvals given under other settings are void.
    pub fn version(&self) -> String {
        // A map of strings and unit variants always has a canonical form.
        let text = canonical_json(self).unwrap_or_default();
        sha256_hex(text.as_bytes())[..16].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_nothing_is_named() {
        let error = |text: &str| {
            let policy: Policy = serde_json::from_str(text).unwrap();
            let checked = policy.check(&BTreeSet::from(["a_b"]), &BTreeSet::from(["utility"]));
            checked.map_or_else(|error| error.to_string(), |()| "none".into())
        };
        let all = r#"{"tools": {"a_b": "ask", "mcp__s__t": "ask"}, "workers": {"utility": {"a_b": "ask"}}, "users": {"U1": {"a_b": "ask"}}}"#;
        let errors = [
            all,
            r#"{"tools": {"a_c": "ask"}}"#,
            r#"{"workers": {"utilty": {}}}"#,
            r#"{"workers": {"utility": {"a_c": "ask"}}}"#,
            r#"{"users": {"U1": {"a_c": "ask"}}}"#,
        ];
        assert_eq!(
            errors.map(error),
            [
                "none",
                "ALFRED_POLICY: tools: there is no tool \"a_c\"; `alfred tools` lists them",
                "ALFRED_POLICY: workers: no worker \"utilty\" calls tools; those that do: utility",
                "ALFRED_POLICY: workers.utility: there is no tool \"a_c\"; `alfred tools` lists them",
                "ALFRED_POLICY: users.U1: there is no tool \"a_c\"; `alfred tools` lists them",
            ]
        );
    }

    #[test]
    fn a_policy_is_strict_and_its_version_follows_it() {
        let read = |text: &str| serde_json::from_str::<Policy>(text);
        let policy =
            read(r#"{"tools": {"a_b": "ask"}, "users": {"U1": {"a_b": "blocked"}}}"#).unwrap();
        let found = policy.settings("a_b", "utility", &"U1".into());
        assert_eq!(found, [Some(Setting::Ask), None, Some(Setting::Blocked)]);
        assert_ne!(policy.version(), Policy::default().version());
        assert!(read(r#"{"tools": {"a_b": "maybe"}}"#).is_err());
        let error = read(r#"{"tool": {}}"#).unwrap_err().to_string();
        assert!(error.contains("tool"));
    }
}
