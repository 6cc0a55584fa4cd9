//! The card of a triage.

use alfred_agent::preview::Preview;
use alfred_core::text;

use super::{Mail, Triage};

/// What is urgent, what is answered together, what would be archived.
pub(super) fn preview(triage: &Triage) -> Preview {
    let (wanted, proposal) = (&triage.confirmation, &triage.proposal);
    let mut preview = Preview::new(text::triage_title());
    let mut lines = Vec::new();
    let mut section = |title: String, rows: Vec<String>| {
        if !rows.is_empty() {
            lines.push(title);
            lines.extend(rows.into_iter().map(|row| format!("• {row}")));
            lines.push(String::new());
        }
    };
    let known = |id: &String| proposal.to_archive.iter().find(|mail| mail.id == *id);
    let label = |id: &String| known(id).map_or_else(|| id.clone(), Mail::label);
    let archived: Vec<String> = wanted.approved_archive_ids.iter().map(label).collect();
    section(
        text::urgent_mails(proposal.urgent.len()),
        proposal.urgent.iter().map(Mail::label).collect(),
    );
    section(
        text::together().to_owned(),
        proposal
            .batched
            .iter()
            .map(|group| format!("{} ({})", group.sender, group.count))
            .collect(),
    );
    section(text::to_archive(archived.len()), archived.clone());
    lines.extend(proposal.notes.shown());
    for (at, label) in archived.into_iter().enumerate() {
        preview = preview.item(format!("/confirmation/approvedArchiveIds/{at}"), label);
    }
    preview.body(lines.join("\n").trim_end().to_owned())
}
