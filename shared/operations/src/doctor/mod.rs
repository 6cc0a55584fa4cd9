//! `alfred doctor`: looks at everything that an installation needs, and changes nothing. A check never prints a secret.

mod disk;
pub mod machine;
pub mod model;
mod secrets;
mod settings;
mod slack;
#[cfg(feature = "aws")]
pub mod stack;

use serde::Serialize;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinError;
use tracing::instrument::WithSubscriber;
use tracing::subscriber::NoSubscriber;

/// Time for each check. They run at once, so it is also the time for all.
pub const LIMIT: Duration = Duration::from_secs(10);

/// Most characters of what was found in a line; `--json` has all.
const CHARACTERS: usize = 400;

/// A setting by its name. `None` if it isn't set or empty.
pub type Lookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Ok,
    /// It works, but something is missing or couldn't be looked at.
    Warning,
    Problem,
}

/// One line of the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What was looked at, such as `model` or `queue alfred-team.fifo`.
    pub check: String,
    pub verdict: Verdict,
    pub found: String,
    /// What to do about it, as whole sentences.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub next: String,
}

impl Finding {
    fn new(verdict: Verdict, check: &str, found: impl Into<String>, next: &str) -> Self {
        Self {
            check: check.to_owned(),
            verdict,
            found: found.into(),
            next: next.to_owned(),
        }
    }

    pub fn ok(check: &str, found: impl Into<String>) -> Self {
        Self::new(Verdict::Ok, check, found, "")
    }

    pub fn warning(check: &str, found: impl Into<String>, next: &str) -> Self {
        Self::new(Verdict::Warning, check, found, next)
    }

    pub fn problem(check: &str, found: impl Into<String>, next: &str) -> Self {
        Self::new(Verdict::Problem, check, found, next)
    }

    fn defect(check: &str, defect: &JoinError) -> Self {
        let next = "Please report this line.";
        Self::problem(check, format!("a defect: {defect}"), next)
    }

    fn line(&self) -> String {
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warning => "warning",
            Verdict::Problem => "problem",
        };
        // Texts of services may have line ends, and be long.
        let found: Vec<&str> = self.found.split_whitespace().collect();
        let found: String = found.join(" ").chars().take(CHARACTERS).collect();
        let found = found.trim_end_matches('.');
        let line = format!("{verdict:<7}  {}: {found}. {}", self.check, self.next);
        line.trim_end().to_owned()
    }
}

/// Something to look at.
pub struct Check {
    name: &'static str,
    work: Pin<Box<dyn Future<Output = Vec<Finding>> + Send>>,
}

impl Check {
    pub fn new(
        name: &'static str,
        work: impl Future<Output = Vec<Finding>> + Send + 'static,
    ) -> Self {
        let work = Box::pin(work);
        Self { name, work }
    }

    /// A check that waits for the disk.
    pub fn blocking(
        name: &'static str,
        work: impl FnOnce() -> Vec<Finding> + Send + 'static,
    ) -> Self {
        Self::new(name, async move {
            let found = tokio::task::spawn_blocking(work).await;
            found.unwrap_or_else(|defect| vec![Finding::defect(name, &defect)])
        })
    }

    /// What was found already.
    pub fn done(name: &'static str, findings: Vec<Finding>) -> Self {
        Self::new(name, async move { findings })
    }
}

/// Runs all checks at once. None can stop another. The findings are in the order of the checks.
pub async fn run(checks: Vec<Check>) -> Vec<Finding> {
    let begin = |Check { name, work }| {
        // What a check logs is in its findings.
        let work = tokio::time::timeout(LIMIT, work).with_subscriber(NoSubscriber::default());
        (name, tokio::spawn(work))
    };
    let running: Vec<_> = checks.into_iter().map(begin).collect();
    let mut findings = Vec::new();
    for (name, check) in running {
        match check.await {
            Ok(Ok(found)) => findings.extend(found),
            Ok(Err(_)) => {
                let found = format!("no answer within {} s", LIMIT.as_secs());
                let next = "Look at the network and at the service, then repeat this.";
                findings.push(Finding::problem(name, found, next));
            }
            Err(defect) => findings.push(Finding::defect(name, &defect)),
        }
    }
    findings
}

/// A line for each finding, and a summary.
pub fn report(findings: &[Finding]) -> String {
    let count = |verdict| {
        let all = findings.iter().filter(|one| one.verdict == verdict);
        match (all.count(), verdict) {
            (1, Verdict::Problem) => "1 problem".to_owned(),
            (1, _) => "1 warning".to_owned(),
            (many, Verdict::Problem) => format!("{many} problems"),
            (many, _) => format!("{many} warnings"),
        }
    };
    let summary = match worst(findings) {
        Verdict::Ok => "Everything is in order.".to_owned(),
        _ => format!("{}, {}.", count(Verdict::Problem), count(Verdict::Warning)),
    };
    let mut lines: Vec<String> = findings.iter().map(Finding::line).collect();
    lines.extend([String::new(), summary]);
    lines.join("\n")
}

pub fn worst(findings: &[Finding]) -> Verdict {
    let verdicts = findings.iter().map(|finding| finding.verdict);
    verdicts.max().unwrap_or(Verdict::Ok)
}

/// An error and its causes, which many texts of errors leave out.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let causes: Vec<String> = causes.map(ToString::to_string).collect();
    causes.join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_check_stops_another() {
        let panics = async { panic!("the check panics") };
        let found = run(vec![
            Check::new("silent", std::future::pending()),
            Check::new("broken", panics),
            Check::done("last", vec![Finding::ok("last", "seen\n now.")]),
        ])
        .await;
        let lines = report(&found);
        let lines: Vec<&str> = lines.lines().collect();
        assert_eq!(
            lines[0],
            "problem  silent: no answer within 10 s. Look at the network and at the service, then repeat this."
        );
        assert!(
            lines[1].starts_with("problem  broken: a defect: "),
            "{lines:?}"
        );
        assert_eq!(
            lines[2..],
            ["ok       last: seen now.", "", "2 problems, 0 warnings."]
        );
    }
}
