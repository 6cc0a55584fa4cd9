//! Triage of waiting mail.

use alfred_agent::tool::PartDone;

use super::composed::{self, Proposed, Proposing, Step, Wanted, Workflow};
use super::proposal::{Ended, Item, left, offered, summary, trouble};
use crate::fields::counted;
use crate::prelude::*;
use crate::system::history::{Again, Offer};

mod groups;
mod propose;
mod show;

use groups::{Group, Mail, Section};

type Triage = Proposed<FillEmailBlock>;

/// The tool's arguments.
#[derive(Clone, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    /// The e-mail block it is for, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_id: Option<String>,
    /// Minutes of that block.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_duration: Option<u32>,
    /// What the person wants of it; only what they said.
    #[serde(default, skip_serializing_if = "composed::is_default")]
    changes: Changes,
}

/// What a person wants of a triage. A mail is meant by its id, or by words of its sender and subject: "shop order".
#[derive(Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Changes {
    /// Mails that stay as they are, by id or by words of their sender and subject: "shop order".
    #[serde(skip_serializing_if = "Vec::is_empty")]
    keep: Vec<String>,
    /// Mails to archive too, named likewise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    archive: Vec<String>,
    /// Urgent mails: the person says so, or you read of a near deadline, a complaint, a threat.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    urgent: Vec<String>,
    /// Mails of which they say that these can wait.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_urgent: Vec<String>,
    /// Only what `archive` and `urgent` name is archived or marked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    nothing_else: bool,
    /// Wishes that fit no field here, in the person's words; the card lists them as not done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unmet: Vec<String>,
}

#[derive(Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Confirmation {
    approved_archive_ids: Vec<String>,
    approved_urgent_ids: Vec<String>,
}

#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
struct Proposal {
    looked_at: usize,
    groups: Vec<Group>,
}

pub fn tool() -> SharedTool {
    composed::tool::<FillEmailBlock>()
}

struct FillEmailBlock;

const ARCHIVE: &str = "email_archiveBatch";
const MARK: &str = "email_markBatch";

impl Workflow for FillEmailBlock {
    type Wish = Arguments;
    type Confirmation = Confirmation;
    type Proposal = Proposal;
    const NAME: &'static str = "workflow_fillEmailBlock";
    const DESCRIPTION: &'static str = "Triages the mail that waits, and asks the person on a card what to archive and what to mark for processing.";
    const RULES: &'static [&'static str] = &[
        "For \"triage my mail\" call workflow_fillEmailBlock at once, with what the person wants of it as changes; the card asks them.",
    ];

    fn propose(context: &ToolContext, wanted: Wanted<Arguments>) -> Proposing<'_, Self> {
        Box::pin(propose::plan(context, wanted))
    }

    fn revised(wish: Arguments, now: Arguments) -> Arguments {
        Arguments {
            block_id: now.block_id.or(wish.block_id),
            block_duration: now.block_duration.or(wish.block_duration),
            changes: wish.changes.revised(now.changes),
        }
    }

    fn leaving_out(mut wish: Arguments, names: Vec<String>) -> Arguments {
        wish.changes.keep.extend(names);
        wish
    }

    fn still_left_out(before: &Proposal, id: &str, now: &Arguments) -> bool {
        let mut wanted = now.changes.archive.iter().chain(&now.changes.urgent);
        let mut mails = before.groups.iter().flat_map(|group| &group.mails);
        let mail = mails.find(|mail| mail.id == id);
        !mail.is_some_and(|mail| wanted.any(|words| mail.is(words)))
    }

    fn items(triage: &Triage) -> Vec<Item> {
        let wanted = &triage.confirmation;
        let item = |list, step, why, (at, id): (usize, &String)| {
            let mut mails = triage.proposal.groups.iter().flat_map(|group| &group.mails);
            let known = mails.find(|mail| mail.id == *id);
            let label = known.map_or_else(|| id.clone(), Mail::label);
            Item::new(list, at, step, &label, why)
        };
        let urgent = wanted.approved_urgent_ids.iter().enumerate();
        let urgent = urgent.map(|part| item("approvedUrgentIds", MARK, "urgent", part));
        let archive = wanted.approved_archive_ids.iter().enumerate();
        let archive = archive.map(|part| item("approvedArchiveIds", ARCHIVE, "", part));
        urgent.chain(archive).collect()
    }

    fn card(triage: &Triage) -> Preview {
        show::card(triage)
    }

    fn nothing(triage: &Triage) -> String {
        let waits = match triage.proposal.looked_at {
            0 => return "No unread mail waits, and none was put off.".to_owned(),
            1 => "1 e-mail waits".to_owned(),
            mails => format!("{mails} e-mails wait"),
        };
        format!("{waits}, and there is nothing to archive or to mark for processing.")
    }

    fn steps(triage: &Triage, _: &[PartDone<'_>]) -> Vec<Step> {
        let wanted = &triage.confirmation;
        let (archive, urgent) = (&wanted.approved_archive_ids, &wanted.approved_urgent_ids);
        let reason = "Archived in a triage that its owner approved";
        let mut steps = Vec::new();
        if !archive.is_empty() {
            steps.push((ARCHIVE, json!({"emailIds": archive, "reason": reason})));
        }
        if !urgent.is_empty() {
            steps.push((MARK, json!({"emailIds": urgent})));
        }
        steps
    }

    fn outcome(triage: &Triage, done: &[PartDone<'_>]) -> Ended {
        let (wish, wanted) = (&triage.wish, &triage.confirmation);
        let part = |tool: &str| done.iter().find(|part| part.tool == tool);
        let archive = left(part(ARCHIVE), &wanted.approved_archive_ids);
        let urgent = left(part(MARK), &wanted.approved_urgent_ids);
        let count = |tool: &str, field: &str| {
            let number = part(tool).and_then(|part| part.output[field].as_u64());
            usize::try_from(number.unwrap_or_default()).unwrap_or_default()
        };
        let (archived, marked) = (count(ARCHIVE, "archived"), count(MARK, "marked"));
        let failed = [&archive[..], &urgent[..]].concat();
        let problems: Vec<String> = done.iter().filter_map(trouble).collect();
        let mails = |count| counted(count, "e-mail");
        let phrases = [
            (archived, format!("archived {}", mails(archived))),
            (marked, format!("marked {} for processing", mails(marked))),
        ];
        let groups = triage.proposal.groups.iter();
        let offered = groups.filter(|group| group.place == Section::Archive);
        let offer = |mail: &Mail| Offer::Archiving {
            sender: mail.sender(),
            taken: wanted.approved_archive_ids.contains(&mail.id),
        };
        Ended {
            whole: failed.is_empty(),
            data: json!({
                "blockId": wish.block_id,
                "processed": marked,
                "archived": archived,
                "summary": summary(phrases, failed.len()),
                "failed": failed,
                "problem": (!problems.is_empty()).then(|| problems.join(" ")),
            }),
            again: Vec::from_iter(again(wish, archive, urgent)),
            missed: Vec::new(),
            offers: offered.flat_map(|group| &group.mails).map(offer).collect(),
        }
    }
}

/// The call that archives and marks only these mails; `None` without any.
fn again(wish: &Arguments, archive: Vec<String>, urgent: Vec<String>) -> Option<Again> {
    if archive.is_empty() && urgent.is_empty() {
        return None;
    }
    let call = Arguments {
        changes: Changes {
            archive,
            urgent,
            nothing_else: true,
            ..Changes::default()
        },
        ..wish.clone()
    };
    offered(FillEmailBlock::NAME, &call, None)
}

impl Changes {
    /// Merges new changes into these. Naming a mail in a new list removes it from the opposite ones.
    fn revised(self, now: Self) -> Self {
        let but = |before: Vec<String>, other: &[&Vec<String>], now: &Vec<String>| {
            let gone = |one: &String| other.iter().any(|names| names.contains(one));
            let kept = before.into_iter().filter(|one| !gone(one));
            kept.chain(now.iter().cloned()).collect()
        };
        let calm = [&now.keep, &now.archive, &now.not_urgent];
        Self {
            keep: but(self.keep, &[&now.archive, &now.urgent], &now.keep),
            archive: but(self.archive, &[&now.keep, &now.urgent], &now.archive),
            urgent: but(self.urgent, &calm, &now.urgent),
            not_urgent: but(self.not_urgent, &[&now.urgent], &now.not_urgent),
            nothing_else: now.nothing_else || self.nothing_else,
            unmet: now.unmet,
        }
    }
}
