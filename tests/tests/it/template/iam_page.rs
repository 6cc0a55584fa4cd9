//! Writes the tables of docs/iam.md from the template, in the words of `iam_page.txt`.
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::grants::SECRET;
use super::rights::statements;
use super::stack::Stack;
use super::{root, rows, texts};

const MARK: &str =
    "<!-- The rest is written by `INSTA_UPDATE=always cargo test -p alfred-tests iam_page`. -->\n";

/// What parts of the template are called on the page.
struct Words(BTreeMap<String, String>);

impl Words {
    fn read() -> Self {
        let rows = rows("iam_page.txt");
        let pairs = rows.iter().map(|row| row.split_once(" | ").expect(row));
        let trimmed = pairs.map(|(name, words)| (name.trim().into(), words.trim().into()));
        Self(trimmed.collect())
    }

    fn of(&self, name: &str) -> &str {
        let words = self.0.get(name);
        words.unwrap_or_else(|| panic!("iam_page.txt has no words for {name}"))
    }

    /// Neighbours with the same words are named once.
    fn all(&self, names: &Value) -> String {
        let names = texts(names).map(|name| name.strip_prefix(SECRET).unwrap_or(name));
        let words = names.map(|name| self.of(name.trim_end_matches("-??????")));
        let mut words: Vec<_> = words.collect();
        words.dedup();
        words.join(", ")
    }
}

fn row(words: &Words, statement: &Value) -> String {
    let never = ["", "never "][usize::from(statement["Effect"] == "Deny")];
    let may = words.all(&statement["Action"]);
    let mut on = words.all(&statement["Resource"]);
    let conditions = statement["Condition"].as_object().into_iter().flatten();
    // A request that names no key is refused, which needs no words.
    for (_, keys) in conditions.filter(|(operator, _)| *operator != "Null") {
        for (key, values) in keys.as_object().unwrap() {
            let values: Vec<_> = texts(values).map(|value| format!("`{value}`")).collect();
            on += &format!(", {} {}", words.of(key), values.join(", "));
        }
    }
    let why = words.of(statement["Sid"].as_str().unwrap());
    format!("| {never}{may} | {on} | {why} |\n")
}

/// A table for each set of roles that share rights, the largest first.
fn tables() -> String {
    let words = Words::read();
    let mut holders: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for kept in ["secrets-manager", "kms"] {
        let stack = Stack::whole_with(&[("AccountSecrets", kept)]);
        for (role, _) in stack.of_type("AWS::IAM::Role") {
            for statement in statements(&stack, role) {
                let holders = holders.entry(row(&words, &statement)).or_default();
                holders.insert(words.of(role));
            }
        }
    }
    let mut sections: BTreeMap<_, String> = BTreeMap::new();
    for (row, roles) in holders {
        *sections.entry((Reverse(roles.len()), roles)).or_default() += &row;
    }
    let sections = sections.into_iter().map(|((_, roles), rows)| {
        let roles: Vec<_> = roles.into_iter().collect();
        let head = "| may | on | why |\n|---|---|---|";
        format!("\n## {}\n\n{head}\n{rows}", roles.join(", "))
    });
    sections.collect()
}

#[test]
fn iam_page_lists_what_the_roles_of_the_template_may_do() {
    let path = root().join("docs/iam.md");
    let page = fs::read_to_string(&path).unwrap();
    let (by_hand, _) = page.split_once(MARK).expect("the mark");
    let written = format!("{by_hand}{MARK}{}", tables());
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&path, written).unwrap();
    } else {
        assert_eq!(page, written, "docs/iam.md is of another template");
    }
}
