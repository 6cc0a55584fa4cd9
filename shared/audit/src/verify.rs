//! Verifies a run's audit chain. Each entry is checked against its hash, its position and its
//! predecessor. The chain's end is checked against independent records of it.

use alfred_core::digest::{canonical_json, sha256_hex};
use alfred_core::{Failure, RunId};
use jiff::civil::Date;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use thiserror::Error;

/// A difference between the stored chain and what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Error)]
#[serde(tag = "found", rename_all = "snake_case")]
pub enum Finding {
    #[error("changed: entry {seq} of {run} isn't the one that {by} knows")]
    Changed {
        run: RunId,
        seq: u32,
        /// The source that contradicts it.
        by: By,
    },
    /// Entries are missing before or between others.
    #[error("missing: {} of {run}", entries(*first, *last))]
    Missing { run: RunId, first: u32, last: u32 },
    /// An entry is at the position of another one.
    #[error("reordered: entry {was} of {run} stands in place {seq}")]
    Reordered {
        run: RunId,
        /// Its position now.
        seq: u32,
        /// Its original position.
        was: u32,
    },
    /// Entries at the end of the chain, or all of them, are missing.
    #[error("cut off: {}", left_of(run, *left, *written, *by))]
    CutOff {
        run: RunId,
        /// The last remaining entry; 0 if none.
        left: u32,
        written: u32,
        /// The source that knows of them.
        by: By,
    },
    /// An entry that the run never wrote.
    #[error("added: {run} never wrote its entry {entry}")]
    Added { run: RunId, entry: String },
    /// A stored row that can't be read, so what it knows of a chain isn't checked.
    #[error("can't be read: {row}")]
    Unreadable { row: String },
    /// A day's digest is missing in the vault.
    #[error("missing: the locked digest of {day}")]
    DigestMissing { day: Date },
    /// A day's digest differs from its record, or can't be parsed.
    #[error("changed: the locked digest of {day} isn't what its record says")]
    DigestChanged { day: Date },
}

fn entries(first: u32, last: u32) -> String {
    if first == last {
        return format!("entry {first}");
    }
    format!("entries {first} to {last}")
}

fn left_of(run: &RunId, left: u32, written: u32, by: By) -> String {
    match left {
        0 => format!("all {written} entries of {run} are gone; {by} knows them"),
        left => format!("{run} ends with entry {left}; {by} knows {written}"),
    }
}

/// A source of information about the original chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Error)]
#[serde(tag = "by", content = "day", rename_all = "snake_case")]
pub enum By {
    #[error("its own hash")]
    Hash,
    #[error("the entry behind it")]
    Next,
    #[error("the run's row")]
    Run,
    #[error("the heads of {0}")]
    Heads(Date),
    #[error("the locked digest of {0}")]
    Digest(Date),
}

/// The length and last hash of a chain, according to some source.
#[derive(Clone, Debug)]
pub struct End {
    pub by: By,
    pub count: u32,
    pub hash: String,
}

/// A run's stored chain and what is known about it.
#[derive(Clone, Debug)]
pub struct Chain {
    pub run: RunId,
    /// Range keys and entries, in order.
    pub entries: Vec<(String, Value)>,
    /// Known ends that the chain must contain.
    pub ends: Vec<End>,
    /// Whether its first entries may have expired.
    pub may_have_expired: bool,
}

/// Returns all problems of a chain; empty if it is intact.
pub fn check(chain: &Chain) -> Result<Vec<Finding>, Failure> {
    let mut check = Check {
        run: &chain.run,
        places: BTreeMap::new(),
        findings: Vec::new(),
    };
    check.entries(&chain.entries)?;
    check.gaps(chain.may_have_expired);
    check.links();
    check.ends(&chain.ends);
    Ok(check.findings)
}

struct Placed {
    hash: String,
    before: String,
    good: bool,
}

struct Check<'a> {
    run: &'a RunId,
    places: BTreeMap<u32, Placed>,
    findings: Vec<Finding>,
}

impl Check<'_> {
    fn entries(&mut self, entries: &[(String, Value)]) -> Result<(), Failure> {
        for (range, body) in entries {
            let place = range.parse().ok().filter(|seq| *seq > 0);
            let Some(place) = place.filter(|seq| range == &format!("{seq:06}")) else {
                self.findings.push(Finding::Added {
                    run: self.run.clone(),
                    entry: range.clone(),
                });
                continue;
            };
            let text = |field: &str| body.get(field).and_then(Value::as_str).unwrap_or_default();
            let (hash, seq) = (
                text("hash").to_owned(),
                body.get("seq").and_then(Value::as_u64),
            );
            let whole = own_hash(body)? == hash && text("run") == self.run.as_str();
            let good = match (whole, seq) {
                (true, Some(seq)) if seq == u64::from(place) => true,
                (true, Some(was)) => {
                    self.findings.push(Finding::Reordered {
                        run: self.run.clone(),
                        seq: place,
                        was: u32::try_from(was).unwrap_or(u32::MAX),
                    });
                    false
                }
                (true, None) | (false, _) => {
                    self.changed(place, By::Hash);
                    false
                }
            };
            let before = text("before").to_owned();
            self.places.insert(place, Placed { hash, before, good });
        }
        Ok(())
    }

    /// Reports missing entries before and between existing ones.
    fn gaps(&mut self, may_have_expired: bool) {
        let mut expected = 1;
        for place in self.places.keys() {
            let excused = expected == 1 && may_have_expired;
            if *place > expected && !excused {
                let (run, first, last) = (self.run.clone(), expected, place - 1);
                self.findings.push(Finding::Missing { run, first, last });
            }
            expected = place + 1;
        }
    }

    /// Reports entries that were rewritten with a matching hash: the following entry names another hash.
    fn links(&mut self) {
        let mut before: Option<(u32, &Placed)> = None;
        let mut broken = Vec::new();
        for (place, entry) in &self.places {
            let wanted = match before {
                Some((last, known)) if last + 1 == *place => known.good.then_some(&*known.hash),
                None if *place == 1 => Some(""),
                Some(_) | None => None,
            };
            if entry.good && wanted.is_some_and(|wanted| wanted != entry.before) {
                broken.push((place - 1).max(1));
            }
            before = Some((*place, entry));
        }
        for seq in broken {
            self.changed(seq, By::Next);
        }
    }

    fn ends(&mut self, ends: &[End]) {
        let left = self.places.keys().next_back().copied().unwrap_or(0);
        let beyond = ends.iter().filter(|end| end.count > left);
        if let Some(end) = beyond.max_by_key(|end| (end.count, end.by)) {
            self.findings.push(Finding::CutOff {
                run: self.run.clone(),
                left,
                written: end.count,
                by: end.by,
            });
        }
        for end in ends.iter().filter(|end| end.count <= left) {
            match self.places.get(&end.count) {
                Some(entry) if entry.good && entry.hash != end.hash => {
                    self.changed(end.count, end.by);
                }
                // The entry was reported as changed already.
                Some(_) => {}
                None if end.count > 0 => self.missing(end.count),
                None => {}
            }
        }
        let own = ends.iter().find(|end| end.by == By::Run);
        for place in own.into_iter().flat_map(|end| end.count + 1..=left) {
            if self.places.contains_key(&place) {
                self.findings.push(Finding::Added {
                    run: self.run.clone(),
                    entry: format!("{place:06}"),
                });
            }
        }
    }

    fn changed(&mut self, seq: u32, by: By) {
        let run = self.run.clone();
        self.findings.push(Finding::Changed { run, seq, by });
    }

    /// Reports an entry that an end names, unless it was reported in a gap.
    fn missing(&mut self, seq: u32) {
        let known = self.findings.iter().any(|finding| {
            matches!(finding, Finding::Missing { first, last, .. } if (*first..=*last).contains(&seq))
        });
        if !known {
            let (run, first, last) = (self.run.clone(), seq, seq);
            self.findings.push(Finding::Missing { run, first, last });
        }
    }
}

/// The hash of a stored entry, including fields that only newer releases know.
fn own_hash(body: &Value) -> Result<String, Failure> {
    let mut bare = body.clone();
    if let Some(fields) = bare.as_object_mut() {
        fields.remove("hash");
    }
    let text = canonical_json(&bare).map_err(Failure::bug)?;
    Ok(sha256_hex(text.as_bytes()))
}
