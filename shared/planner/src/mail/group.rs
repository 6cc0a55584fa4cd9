//! Mails of one sender together.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SenderGroup {
    pub sender: String,
    pub count: usize,
    /// Their ids, in the order given.
    pub email_ids: Vec<String>,
}

/// Groups mails, given as id and sender's address; the largest groups first, then by
/// address. Senders with fewer than `least` mails are left out. A mail given twice counts once.
pub fn group_by_sender<'a>(
    mails: impl IntoIterator<Item = (&'a str, &'a str)>,
    least: usize,
) -> Vec<SenderGroup> {
    let mut by_sender: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (id, address) in mails {
        let ids = by_sender.entry(address.trim().to_lowercase()).or_default();
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    let group = |(sender, email_ids): (String, Vec<String>)| SenderGroup {
        sender,
        count: email_ids.len(),
        email_ids,
    };
    let mut groups: Vec<SenderGroup> = by_sender.into_iter().map(group).collect();
    groups.retain(|group| group.count >= least);
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_come_first_and_case_does_not_matter() {
        let mails = "1 b@x.org|2 A@x.org |3 c@x.org|4 a@x.org|5 B@x.org|6 a@X.org|4 a@x.org";
        let mails = || mails.split('|').filter_map(|mail| mail.split_once(' '));
        let shown = |least| -> Vec<String> {
            let groups = group_by_sender(mails(), least).into_iter();
            let text =
                |g: SenderGroup| format!("{} {} {}", g.sender, g.count, g.email_ids.join(","));
            groups.map(text).collect()
        };
        assert_eq!(shown(2), ["a@x.org 3 2,4,6", "b@x.org 2 1,5"]);
        assert_eq!(shown(1).len(), 3);
        assert!(shown(4).is_empty());
    }
}
