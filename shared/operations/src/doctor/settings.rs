//! The settings: values, unknown names, and settings that need each other.

use alfred_core::config::{
    GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET,
    SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, trimmed,
};
use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Findings};

pub const PEOPLE: &str = "people";
/// A test compares this page with the code.
const PAGE: &str = include_str!("../../../../docs/configuration.md");
const ALL: &str = "docs/configuration.md lists all settings.";
const CORRECT: &str = "Correct it; docs/configuration.md says what it takes.";
/// Parts of names that many programs have.
const COMMON: &str = "AWS_ RUST_ NO_ _API_KEY";
/// Each of these has no effect without the other.
const NEEDS: [(&str, &str); 3] = [
    (SLACK_SIGNING_SECRET, SLACK_BOT_TOKEN),
    (GOOGLE_CLIENT_SECRET, GOOGLE_CLIENT_ID),
    (MICROSOFT_CLIENT_SECRET, MICROSOFT_CLIENT_ID),
];

/// Names of all settings.
pub fn known() -> Vec<&'static str> {
    let plain = |c: char| c.is_ascii_uppercase() || c == '_';
    let quoted = PAGE.split('`').skip(1).step_by(2);
    let names = quoted.filter(|word| word.contains('_') && word.chars().all(plain));
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

/// `set` is the environment, `wrong` what the readers of settings refuse.
pub fn check(set: &BTreeMap<String, String>, wrong: Vec<String>) -> Vec<Finding> {
    let value = |name: &str| trimmed(set.get(name)?);
    let mut findings = Findings::of("settings");
    for error in wrong {
        findings.problem(error, CORRECT);
    }
    let known = known();
    for name in set.keys().filter(|name| !known.contains(&name.as_str())) {
        let next = match nearest(name, &known) {
            Some(near) => format!("Do you mean {near}?"),
            None if name.starts_with("ALFRED") => ALL.to_owned(),
            None => continue,
        };
        findings.warning(format!("there is no setting {name}"), &next);
    }
    for (name, other) in NEEDS {
        if value(name).is_some() && value(other).is_none() {
            let found = format!("{name} is set, but {other} isn't");
            findings.warning(found, "Set both, or neither.");
        }
    }
    let given = known.iter().filter(|name| value(name).is_some());
    findings.otherwise(match given.count() {
        0 => "none is set, so all have their defaults".to_owned(),
        count => format!("{count} set, all valid"),
    })
}

/// The setting that was probably meant. Names that don't begin with ALFRED may be another program's, so they must be
/// closer, and aren't those that many programs have.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let is_ours = name.starts_with("ALFRED");
    let is_common = |name: &str| COMMON.split(' ').any(|part| name.contains(part));
    let far = |other: &&str| strsim::damerau_levenshtein(name, other);
    let near = known.iter().copied().min_by_key(far)?;
    let may_be = is_ours || !is_common(name) && !is_common(near);
    (may_be && far(&near) <= if is_ours { 4 } else { 2 }).then_some(near)
}

/// What to do about a missing or wrong id. `how` says how to name an administrator.
pub fn own_id(how: &str) -> String {
    format!("{how} your Slack id: in Slack, your profile, ⋮, Copy member ID.")
}

/// Whether a real Slack has an administrator.
pub fn people(admins: &str, how: &str) -> Vec<Finding> {
    vec![if admins.is_empty() {
        let found = "no administrator is named, so nobody can let people in";
        Finding::warning(PEOPLE, found, &own_id(how))
    } else {
        Finding::ok(PEOPLE, format!("administrators are {admins}"))
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use alfred_core::config::admin_ids;

    #[test]
    fn misspelt_names_are_told_from_those_of_other_programs() {
        let meant = |name| nearest(name, &known());
        // Pairs, because a test compares names alone between quotes with the settings there are.
        for pair in [
            "SLACK_BOT_TOKN SLACK_BOT_TOKEN",
            "ALFRED_ADMIN ALFRED_ADMINS",
        ] {
            let (wrong, right) = pair.split_once(' ').unwrap();
            assert_eq!(meant(wrong), Some(right));
        }
        for other in "SLACK_USER_TOKEN GROK_API_KEY AWS_REGIONS RUST_LOGS PATH".split(' ') {
            assert_eq!(meant(other), None, "{other}");
        }
        let twice = known().into_iter().filter(|name| *name == "ALFRED_SEARCH");
        assert_eq!(twice.count(), 1);
    }

    #[test]
    fn commas_alone_name_no_administrator() {
        let verdict = |listed| {
            let admins: Vec<&str> = admin_ids(listed).collect();
            people(&admins.join(", "), "")[0].verdict
        };
        assert_eq!(verdict(" , "), crate::doctor::Verdict::Warning);
        assert_eq!(verdict("U1,"), crate::doctor::Verdict::Ok);
    }
}
