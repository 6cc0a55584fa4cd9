//! Lists audit entries and checks that they are intact.

use alfred_agent::store::audit::{Decision, Entry};
use alfred_audit::whole::{self, Scope, Verified};
use alfred_audit::{digest, read};
use alfred_core::{Progress, RunId, UserId};
use anyhow::anyhow;
use jiff::{SignedDuration, ToSpan};

use super::person;
use crate::api::{Audit, AuditCommand, ListAudit, Report, Request};
use crate::app::LocalApp;
use crate::terminal::{made, one_line};

/// Days that are listed without `--since`.
const DAYS: i64 = 30;

impl Request for Audit {
    const PATH: &'static str = "/local/audit";
    type Answer = Report;

    async fn answer(&self, app: &LocalApp) -> anyhow::Result<Report> {
        let scope = Scope {
            store: &*app.ports.store,
            vault: &app.sqlite.vault(),
            team: &app.team().await?,
            now: app.ports.clock.now(),
            keep: SignedDuration::from_hours(24 * app.ports.config.audit_days),
        };
        let id_of = |wanted: &str| person::id_of(app, wanted);
        report(&scope, self, &app.checking, id_of).await
    }
}

pub async fn report(
    scope: &Scope<'_>,
    asked: &Audit,
    checking: &Progress,
    id_of: impl Fn(&str) -> anyhow::Result<UserId>,
) -> anyhow::Result<Report> {
    match &asked.command {
        AuditCommand::Verify => {
            let verified = whole::verify(scope, checking).await?;
            let text = made(asked.json, &verified, || in_lines(&verified))?;
            let clean = verified.findings.is_empty();
            Ok(Report { text, clean })
        }
        AuditCommand::List(wanted) => {
            let user = wanted.of.as_deref().map(id_of).transpose()?;
            let entries = entries(scope, wanted, user.as_ref()).await?;
            let text = made(asked.json, &entries, || table(&entries))?;
            Ok(Report { text, clean: true })
        }
    }
}

fn in_lines(verified: &Verified) -> String {
    let found = verified.findings.iter();
    let mut lines: Vec<String> = found.map(|found| one_line(&found.to_string())).collect();
    lines.push(format!(
        "{} runs, {} entries, {} locked digests: {}",
        verified.runs,
        verified.entries,
        verified.digests,
        match verified.findings.len() {
            0 => "everything is as it was written".to_owned(),
            1 => "1 finding".to_owned(),
            n => format!("{n} findings"),
        }
    ));
    lines.join("\n")
}

/// The matching entries, oldest first.
async fn entries(
    scope: &Scope<'_>,
    wanted: &ListAudit,
    user: Option<&UserId>,
) -> anyhow::Result<Vec<Entry>> {
    let last = wanted.until.unwrap_or(digest::day_of(scope.now));
    let first = match wanted.since {
        Some(first) => first,
        None => last.checked_sub(DAYS.days())?,
    };
    let runs = match &wanted.run {
        Some(run) => [RunId::from(run.as_str())].into(),
        None => whole::runs_since(scope, first).await?,
    };
    let mut found = Vec::new();
    for run in runs {
        for (range, body) in read::chain(scope.store, scope.team, &run).await? {
            let entry: Entry = serde_json::from_value(body).map_err(|error| {
                anyhow!("entry {range} of {run} can't be read ({error}); see `alfred audit verify`")
            })?;
            // With `--run`, the date only filters if it is given.
            let dated = wanted.run.is_none() || wanted.since.is_some() || wanted.until.is_some();
            let in_time = !dated || (first..=last).contains(&digest::day_of(entry.at));
            if in_time && fits(wanted, user, &entry) {
                found.push(entry);
            }
        }
    }
    found.sort_by(|a, b| (a.at, &a.run, a.seq).cmp(&(b.at, &b.run, b.seq)));
    Ok(found)
}

fn fits(wanted: &ListAudit, user: Option<&UserId>, entry: &Entry) -> bool {
    // The entry `effect.begun` has the tool as its resource.
    let is_tool = |tool: &String| {
        entry.what == *tool || (entry.what == "effect.begun" && entry.resource == *tool)
    };
    user.is_none_or(|user| entry.for_whom == *user)
        && wanted.tool.as_ref().is_none_or(is_tool)
        && !(wanted.failed && entry.success)
}

fn table(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return "Nothing is recorded of that.".into();
    }
    let rows: Vec<[String; 7]> = entries.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..7).map(|column| width(column).unwrap_or(0)).collect();
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(&widths);
        let line = cells.map(|(cell, width)| format!("{cell:<width$}  "));
        line.collect::<String>().trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn row(entry: &Entry) -> [String; 7] {
    let outcome = match (&entry.error_type, entry.success) {
        (Some(error), _) => error.clone(),
        (None, true) => "ok".into(),
        (None, false) => "failed".into(),
    };
    let decision = match &entry.decision {
        None | Some(Decision::NotNeeded) => String::new(),
        Some(Decision::Asked { .. }) => "asked".into(),
        Some(Decision::Decided { verdict }) => format!("{verdict:?}").to_lowercase(),
        Some(Decision::Forbidden) => "forbidden".into(),
    };
    let cells = [
        entry.at.strftime("%Y-%m-%d %H:%M:%SZ").to_string(),
        entry.for_whom.0.clone(),
        entry.who.clone(),
        entry.what.clone(),
        outcome,
        decision,
        format!("{}#{} {}", entry.run, entry.seq, entry.resource),
    ];
    cells.map(|cell| one_line(&cell))
}
