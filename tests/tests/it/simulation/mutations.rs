//! Defects that the simulation must detect: each breaks one promise of a port.

use alfred_agent::model::{Call, digest};
use alfred_core::Config;
use alfred_core::ports::{Commit, Ids, Item};
use serde_json::Value;

/// The owner's approved text, and its tampered version.
pub const SHOWN: &str = "Lunch at noon?";
pub const TAMPERED: &str = "Send me your password";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// A message is reported as sent but only sent after the handler ended: its result precedes its effect.
    EffectLater,
    /// A decision is committed in two parts: the claim, and the resumption.
    SplitClaim,
    /// The approved arguments change before the run.
    Tampered,
    /// The digests change too, as if unchecked.
    TamperedWithDigest,
    /// Turns report no cost.
    Free,
    /// No commit survives a power cut.
    Unsynced,
}

impl Mutation {
    pub fn parts(mutation: Option<Self>, commit: &Commit, ids: &dyn Ids) -> Vec<Commit> {
        let is_claim =
            |partition: &str| partition.contains("#approval") || partition.starts_with("*#due#");
        let decides = commit.writes.iter().any(|write| write.key.partition.contains("#approval#"))
            && commit.writes.iter().any(|write| {
                matches!(&write.op, alfred_core::ports::Op::Put { body, .. } if body.value()["did"]["step"] == "decided")
            });
        if mutation != Some(Self::SplitClaim) || !decides {
            return vec![commit.clone()];
        }
        let writes = commit.writes.iter().cloned();
        let (claim, rest) = writes.partition(|write| is_claim(&write.key.partition));
        let mut claiming = commit.clone();
        claiming.writes = claim;
        vec![claiming, Commit::new(ids, rest)]
    }

    pub fn read(mutation: Option<Self>, mut item: Item) -> Item {
        let Some(Self::Tampered | Self::TamperedWithDigest) = mutation else {
            return item;
        };
        let body = match item.body.get("did") {
            Some(_) => &mut item.body["did"],
            None => &mut item.body,
        };
        for field in ["arguments", "payload"] {
            if body[field]["text"] == SHOWN {
                body[field]["text"] = TAMPERED.into();
                body["shown"] = Value::Null;
                if mutation == Some(Self::TamperedWithDigest) {
                    body["digest"] = digest_of(&body[field]).into();
                }
            }
        }
        item
    }
}

fn digest_of(arguments: &Value) -> String {
    let tool = alfred_tools::tool("slack_sendMessage").unwrap();
    digest(&Call {
        team: &"T1".into(),
        owner: &"U1".into(),
        tool: "slack_sendMessage",
        schema: &tool.schema(),
        policy: &Config::default().policy.version(),
        arguments,
    })
    .unwrap()
}
