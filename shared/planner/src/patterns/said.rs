//! What is said again and again.

use jiff::civil::Date;
use std::collections::BTreeMap;

use super::found::{Example, Pattern, What, most};
use crate::wish::{Topic, Wish};
use crate::words;

words! {
    /// What kind of feedback a remark is.
    RemarkKind {
        /// Praise.
        Positive = "positive",
        /// Blame.
        Negative = "negative",
        /// An idea.
        Suggestion = "suggestion",
        /// A defect.
        Bug = "bug",
    }
}

/// Something the person said, of one plan or of all, in their own words alone.
#[derive(Clone, Debug)]
pub struct Said {
    /// On which day.
    pub date: Date,
    /// What it asks of plans.
    pub wishes: Vec<Wish>,
    /// What kind of remark it was, if it was one.
    pub remark: Option<Remark>,
}

/// A remark on how the person is served.
#[derive(Clone, Debug)]
pub struct Remark {
    /// Of which kind.
    pub kind: RemarkKind,
    /// About what, in the person's word.
    pub category: String,
    /// What was said.
    pub message: String,
}

pub(super) fn find(said: &[Said]) -> Vec<Pattern> {
    let mut found = wishes(said);
    found.extend(remarks(said));
    found
}

/// Wishes about one thing: the one most of them are.
fn wishes(said: &[Said]) -> Vec<Pattern> {
    let mut topics: BTreeMap<Topic, Vec<(String, Example)>> = BTreeMap::new();
    let mut known: BTreeMap<String, &Wish> = BTreeMap::new();
    for one in said {
        for wish in &one.wishes {
            let (Some(topic), words) = (wish.topic(), wish.to_string()) else {
                continue;
            };
            let observed = (words.clone(), Example::own(one.date, &words));
            topics.entry(topic).or_default().push(observed);
            known.insert(words, wish);
        }
    }
    let pattern = |observed: Vec<(String, Example)>| {
        let (words, agreeing, of) = most(observed)?;
        let wish = known.get(&words).copied()?;
        Pattern::from_examples(What::Asked(wish.clone()), agreeing, of)
    };
    topics.into_values().filter_map(pattern).collect()
}

/// Remarks about one thing: of which kind most of them are.
fn remarks(said: &[Said]) -> Vec<Pattern> {
    let mut categories: BTreeMap<String, Vec<(RemarkKind, Example)>> = BTreeMap::new();
    for one in said {
        let Some(remark) = &one.remark else { continue };
        let example = Example::own(one.date, &remark.message);
        let category = categories.entry(remark.category.to_lowercase());
        category.or_default().push((remark.kind, example));
    }
    let pattern = |(category, observed): (String, Vec<(RemarkKind, Example)>)| {
        Pattern::of_most(observed, |kind| What::Remarked {
            remark: *kind,
            category,
        })
    };
    categories.into_iter().filter_map(pattern).collect()
}
