//! Compares the kinds of partitions that are deleted with those in the source.

use alfred_core::keys;
use alfred_core::ports::Account;
use std::collections::BTreeSet;
use std::path::Path;

/// Every kind after `{team}#{user}#` in the sources of `alfred-core`'s keys, without the part after it.
fn written() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/keys");
    let mut kinds = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for rest in text.split("\"{team}#{user}#").skip(1) {
            let kind = rest.split(['"', '#', '{']).next().unwrap();
            kinds.insert(kind.to_owned());
        }
    }
    kinds
}

#[test]
fn every_kind_of_a_persons_partition_is_deleted() {
    let account = Account::of(&"T1".into(), &"U1".into());
    let day = BTreeSet::from(["2026-11-28".parse().unwrap()]);
    let deleted = keys::of_person(&account, &day);
    let deleted: BTreeSet<String> = deleted
        .iter()
        .map(|one| one.split('#').nth(2).unwrap().to_owned())
        .collect();
    let written = written();
    assert!(written.len() > 20, "{written:?}");
    let missing: Vec<&String> = written.difference(&deleted).collect();
    assert!(missing.is_empty(), "add to `keys::of_person`: {missing:?}");
}
