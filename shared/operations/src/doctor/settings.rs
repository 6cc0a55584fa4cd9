//! The settings: values, unknown names, and settings that need each other.

use alfred_core::config::{
    ALFRED_ADMINS, GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, MICROSOFT_CLIENT_ID,
    MICROSOFT_CLIENT_SECRET, SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET,
};
use std::collections::BTreeMap;

use super::{Finding, Findings};

/// A test compares this page with the code.
const PAGE: &str = include_str!("../../../../docs/configuration.md");
const CORRECT: &str = "Correct it; docs/configuration.md says what it takes.";
/// Each of these has no effect without the other.
const NEEDS: [(&str, &str); 3] = [
    (SLACK_SIGNING_SECRET, SLACK_BOT_TOKEN),
    (GOOGLE_CLIENT_SECRET, GOOGLE_CLIENT_ID),
    (MICROSOFT_CLIENT_SECRET, MICROSOFT_CLIENT_ID),
];

/// Names of all settings.
pub fn known() -> impl Iterator<Item = &'static str> {
    let plain = |c: char| c.is_ascii_uppercase() || c == '_';
    let quoted = PAGE.split('`').skip(1).step_by(2);
    quoted.filter(move |word| word.contains('_') && word.chars().all(plain))
}

/// `set` is the environment, `wrong` what the readers of settings refuse.
pub fn check(set: &BTreeMap<String, String>, wrong: Vec<String>) -> Vec<Finding> {
    let value = |name: &str| set.get(name).filter(|value| !value.is_empty());
    let mut findings = Findings::of("settings");
    for error in wrong {
        findings.problem(error, CORRECT);
    }
    let known: Vec<&str> = known().collect();
    let unknown = set.keys().filter(|name| name.starts_with("ALFRED"));
    for name in unknown.filter(|name| !known.contains(&name.as_str())) {
        let next = match nearest(name, &known) {
            Some(near) => format!("Do you mean {near}?"),
            None => "docs/configuration.md lists all settings.".to_owned(),
        };
        findings.warning(format!("there is no setting {name}"), &next);
    }
    let given = known.iter().filter_map(|name| Some((name, value(name)?)));
    for (name, _) in given.clone().filter(|(_, value)| value.trim() != *value) {
        let found = format!("{name} begins or ends with white space");
        findings.warning(found, "Set it without.");
    }
    for (name, other) in NEEDS {
        if value(name).is_some() && value(other).is_none() {
            let found = format!("{name} is set, but {other} isn't");
            findings.warning(found, "Set both, or neither.");
        }
    }
    findings.otherwise(match given.count() {
        0 => "none is set, so all have their defaults".to_owned(),
        count => format!("{count} set, all valid"),
    })
}

fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let far = |other: &&str| strsim::damerau_levenshtein(name, other);
    let near = known.iter().copied().min_by_key(far)?;
    (far(&near) <= 4).then_some(near)
}

/// Whether a real Slack has an administrator.
pub fn people(admins: Option<&str>) -> Vec<Finding> {
    const NAME: &str = "people";
    vec![match admins {
        Some(ids) => Finding::ok(NAME, format!("administrators are {ids}")),
        None => Finding::warning(
            NAME,
            format!("{ALFRED_ADMINS} names no administrator, so nobody can let people in"),
            "Set it to your Slack id: in Slack, your profile, ⋮, Copy member ID.",
        ),
    }]
}
