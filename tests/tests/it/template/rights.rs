//! What the roles of the template may do, as IAM decides it
//! (<https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html>).
use serde_json::Value;

use super::stack::Stack;
use super::{many, texts};

/// The keys of a request, such as `dynamodb:LeadingKeys`, and their values.
pub type Keys<'a> = &'a [(&'a str, &'a str)];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    Allowed,
    /// By a statement, so no other policy can allow it.
    Denied,
    NotAllowed,
}

/// The statements of a role: of its inline policies, and of the managed policies that are attached to it.
pub fn statements(stack: &Stack, role: &str) -> Vec<Value> {
    let own = stack.properties(role);
    let attached = |name: &str, policy: &Value| {
        texts(&policy["Roles"]).any(|one| one == role)
            || texts(&own["ManagedPolicyArns"]).any(|one| one == name)
    };
    let mut policies: Vec<Value> = many(&own["Policies"]).into_iter().cloned().collect();
    let managed = stack.of_type("AWS::IAM::ManagedPolicy").into_iter();
    let managed = managed.filter(|(name, one)| attached(name, one));
    policies.extend(managed.map(|(_, one)| one));
    let policies = policies.iter();
    let found = policies.flat_map(|one| many(&one["PolicyDocument"]["Statement"]));
    found.cloned().collect()
}

pub fn decide(stack: &Stack, role: &str, action: &str, resource: &str, keys: Keys<'_>) -> Decision {
    let mut decision = Decision::NotAllowed;
    for statement in statements(stack, role) {
        let about = texts(&statement["Action"]).any(|one| like(one, action))
            && texts(&statement["Resource"]).any(|one| like(&filled(one, keys), resource))
            && met(&statement["Condition"], keys);
        match statement["Effect"].as_str() {
            Some("Deny") if about => return Decision::Denied,
            Some("Allow") if about => decision = Decision::Allowed,
            _ => {}
        }
    }
    decision
}

fn met(condition: &Value, keys: Keys<'_>) -> bool {
    let operators = condition.as_object().into_iter().flatten();
    let tests = operators.flat_map(|(operator, of)| {
        let of = of.as_object().unwrap().iter();
        of.map(move |one| (operator, one))
    });
    tests.into_iter().all(|(operator, (key, wanted))| {
        let own = keys.iter().filter(|(name, _)| name == key);
        let mut there = own.map(|(_, value)| *value);
        let fits = |value: &str| texts(wanted).any(|one| like(&filled(one, keys), value));
        match operator.as_str() {
            "StringEquals" | "StringLike" => there.any(fits),
            // True of a request without the key.
            "ForAllValues:StringLike" => there.all(fits),
            "Null" => (there.next().is_none()) == (wanted == "true"),
            other => panic!("a condition that isn't understood: {other}"),
        }
    })
}

/// With the request's keys in place of `${aws:PrincipalTag/…}`.
fn filled(pattern: &str, keys: Keys<'_>) -> String {
    let fill =
        |made: String, (key, value): &(&str, &str)| made.replace(&format!("${{{key}}}"), value);
    keys.iter().fold(pattern.to_owned(), fill)
}

/// `*` is any text, slashes too, and `?` one character.
fn like(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => {
            let rest = &pattern[1..];
            let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.any(|at| like(rest, &text[at..]))
        }
        Some(first) => {
            let mut left = text.chars();
            let next = left.next();
            let fits = next.is_some_and(|next| first == '?' || first == next);
            fits && like(&pattern[first.len_utf8()..], left.as_str())
        }
    }
}
