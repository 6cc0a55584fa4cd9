//! Defects that the simulation must notice: ports that break one promise each.

use alfred_agent::approval::{Call, digest};
use alfred_core::Config;
use alfred_core::ports::{Commit, Ids, Item};
use serde_json::Value;

/// What the owner is shown, and what a defect makes of it.
pub const SHOWN: &str = "Lunch at noon?";
pub const TAMPERED: &str = "Send me your password";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// A message is reported as sent and sent only when the handler has ended: the result
    /// is recorded before the effect.
    EffectLater,
    /// A decision's commit falls into two: the claim, and the resumption.
    SplitClaim,
    /// What was approved is changed between the ask and the run.
    Tampered,
    /// The same, together with the digests: as if nobody checked them.
    TamperedWithDigest,
    /// Turns are told to cost nothing, and cost it.
    Free,
}

impl Mutation {
    /// The commits that are made of one.
    pub fn parts(mutation: Option<Self>, commit: &Commit, ids: &dyn Ids) -> Vec<Commit> {
        let is_claim =
            |partition: &str| partition.contains("#approval") || partition.starts_with("*#due#");
        let decides = commit.writes.iter().any(|write| write.key.partition.contains("#approval#"))
            && commit.writes.iter().any(|write| {
                matches!(&write.op, alfred_core::ports::Op::Put { body, .. } if body["did"]["step"] == "decided")
            });
        if mutation != Some(Self::SplitClaim) || !decides {
            return vec![commit.clone()];
        }
        let (claim, rest) = commit
            .writes
            .iter()
            .cloned()
            .partition(|write| is_claim(&write.key.partition));
        vec![
            Commit {
                id: commit.id,
                writes: claim,
            },
            Commit {
                id: ids.uuid(),
                writes: rest,
            },
        ]
    }

    /// An item as it is read.
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
    let catalogue = alfred_tools::catalogue();
    let tool = catalogue
        .iter()
        .find(|tool| tool.def().name == "slack_sendMessage")
        .unwrap();
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
