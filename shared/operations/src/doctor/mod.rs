//! `alfred doctor`: looks at everything that an installation needs, and changes nothing. A check never prints a secret.

mod disk;
pub mod machine;
pub mod model;
mod secrets;
mod settings;
mod slack;
#[cfg(feature = "aws")]
pub mod stack;

use alfred_core::text::one_line;
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

const READ_SECRETS: &str =
    "Let your credentials call secretsmanager:GetSecretValue to have it checked.";

const AS_FUNCTIONS: &str = "The line of the functions says what to do.";

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
        tracing::error!(check, %defect, "a check failed");
        let next = "Please report it with this line.";
        Self::problem(check, "alfred doctor failed here", next)
    }

    fn line(&self) -> String {
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warning => "warning",
            Verdict::Problem => "problem",
        };
        // Texts of services may have line ends, and be long.
        let found = one_line(&self.found);
        let cut: String = found.chars().take(CHARACTERS).collect();
        let end = if cut == found { "." } else { "…" };
        let cut = cut.trim_end_matches('.');
        let line = format!("{verdict:<7}  {}: {cut}{end} {}", self.check, self.next);
        line.trim_end().to_owned()
    }
}

/// What a check found so far.
struct Findings {
    check: String,
    list: Vec<Finding>,
}

impl Findings {
    fn of(check: impl Into<String>) -> Self {
        let (check, list) = (check.into(), Vec::new());
        Self { check, list }
    }

    fn warning(&mut self, found: impl Into<String>, next: &str) {
        self.add(Finding::warning(&self.check, found, next));
    }

    fn problem(&mut self, found: impl Into<String>, next: &str) {
        self.add(Finding::problem(&self.check, found, next));
    }

    /// The same cause may be met several times.
    fn add(&mut self, finding: Finding) {
        if !self.list.contains(&finding) {
            self.list.push(finding);
        }
    }

    /// `found` if everything is in order.
    fn otherwise(self, found: impl Into<String>) -> Vec<Finding> {
        if self.list.is_empty() {
            return vec![Finding::ok(&self.check, found)];
        }
        self.list
    }
}

type Work = Pin<Box<dyn Future<Output = Vec<Finding>> + Send>>;

/// Something to look at.
pub struct Check {
    name: &'static str,
    work: Work,
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

/// The version, then what all checks find, in their order. They run at once, and none can stop another.
pub async fn run(checks: Vec<Check>) -> Vec<Finding> {
    let begin = |Check { name, work }| (name, tokio::spawn(bounded(name, work)));
    let running: Vec<_> = checks.into_iter().map(begin).collect();
    let version = concat!("alfred ", env!("CARGO_PKG_VERSION"));
    let mut findings = vec![Finding::ok("version", version)];
    for (name, check) in running {
        findings.extend(match check.await {
            Ok(found) => found.unwrap_or_else(|late| vec![late]),
            Err(defect) => vec![Finding::defect(name, &defect)],
        });
    }
    findings
}

/// Work within the limit. What it logs is in its findings.
pub async fn bounded<T>(name: &str, work: impl Future<Output = T>) -> Result<T, Finding> {
    let work = tokio::time::timeout(LIMIT, work).with_subscriber(NoSubscriber::default());
    work.await.map_err(|_| {
        let found = format!("no answer within {} s", LIMIT.as_secs());
        let next = "Look at the network and at the service, then repeat this.";
        Finding::problem(name, found, next)
    })
}

/// A line for each finding, and a summary.
pub fn report(findings: &[Finding]) -> String {
    let count = |verdict| findings.iter().filter(|one| one.verdict == verdict).count();
    let summary = match (count(Verdict::Problem), count(Verdict::Warning)) {
        (0, 0) => "Everything is in order.".to_owned(),
        (problems, warnings) => format!("Problems: {problems}, warnings: {warnings}."),
    };
    let mut lines: Vec<String> = findings.iter().map(Finding::line).collect();
    lines.extend([String::new(), summary]);
    lines.join("\n")
}

pub fn worst(findings: &[Finding]) -> Verdict {
    let verdicts = findings.iter().map(|finding| finding.verdict);
    verdicts.max().unwrap_or(Verdict::Ok)
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
            Check::done("long", vec![Finding::ok("long", "é".repeat(401))]),
        ])
        .await;
        let expected = "\
problem  silent: no answer within 10 s. Look at the network and at the service, then repeat this.
problem  broken: alfred doctor failed here. Please report it with this line.
ok       last: seen now.
ok       long: LONG…

Problems: 2, warnings: 0.";
        let expected = expected.replace("LONG", &"é".repeat(400));
        assert_eq!(report(&found[1..]), expected);
    }
}
