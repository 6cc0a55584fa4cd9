//! Sources of an answer: only pages from tool results. A known mark becomes a numbered link, an unknown one is removed.

use alfred_core::source::{Piece, pieces};
use alfred_core::{Source, WorkerOutput, invisible};
use std::collections::HashSet;
use url::Url;

use crate::slack::respond::addresses::{self, escape};
use crate::slack::respond::split::head;

const MOST_LISTED: usize = 12;
const TITLE: usize = 80;
/// Longer addresses aren't linked, since they would fill the section.
const MOST_ADDRESS: usize = 500;

/// The cited sources in order. If none is cited: the hosts of the pages that could have been.
pub(crate) struct Cited<'a> {
    sources: Vec<&'a Source>,
    uncited: String,
}

impl<'a> Cited<'a> {
    /// Finds the marks in `words` that belong to one of the `given` sources.
    pub fn of(words: &str, given: &'a [Source]) -> Self {
        let mut sources: Vec<&Source> = Vec::new();
        for piece in pieces(words) {
            let Piece::Mark(mark) = piece else { continue };
            let source = given.iter().find(|source| source.mark() == mark);
            let known = |source: &&Source| sources.iter().any(|one| one.url == source.url);
            sources.extend(source.filter(|source| !known(source)));
        }
        let mut hosts: Vec<String> = given.iter().map(|it| addresses::host(&it.url)).collect();
        let mut known = HashSet::new();
        hosts.retain(|host| sources.is_empty() && known.insert(host.clone()));
        hosts.truncate(MOST_LISTED);
        let uncited = hosts.join(", ");
        Self { sources, uncited }
    }

    /// Replaces each mark using `shown`, which gets the index, the source, and whether the mark is in code.
    fn numbered(&self, words: &str, shown: impl Fn(usize, &Source, bool) -> String) -> String {
        let (mut out, mut ticks) = (String::with_capacity(words.len()), 0);
        for piece in pieces(words) {
            match piece {
                Piece::Words(words) => {
                    ticks += words.matches('`').count();
                    out.push_str(words);
                }
                Piece::Mark(mark) => match self.sources.iter().position(|one| one.mark() == mark) {
                    Some(at) => out.push_str(&shown(at, self.sources[at], ticks % 2 == 1)),
                    // An unknown mark is removed together with the space before it.
                    None => out.truncate(out.trim_end_matches(' ').len()),
                },
            }
        }
        out
    }

    pub fn linked(&self, mrkdwn: &str) -> String {
        self.numbered(mrkdwn, |at, source, in_code| match link(source) {
            Some(url) if !in_code => format!("<{url}|[{}]>", at + 1),
            _ => format!("[{}]", at + 1),
        })
    }

    /// The source list below an answer. Uncited pages get no links, since they may be strangers' pages from a search.
    pub fn listed(&self) -> Option<String> {
        if self.sources.is_empty() {
            let hosts = escape(&self.uncited);
            return (!hosts.is_empty()).then(|| format!("*Sources*\n{hosts}"));
        }
        let mut lines = vec!["*Sources*".to_owned()];
        for (source, number) in self.sources.iter().take(MOST_LISTED).zip(1..) {
            let (title, host) = (title(source), escape(&addresses::host(&source.url)));
            lines.push(match link(source) {
                Some(url) => format!("{number}. <{url}|{title}> ({host})"),
                None => format!("{number}. {title} ({host})"),
            });
        }
        match self.sources.len().saturating_sub(MOST_LISTED) {
            0 => {}
            1 => lines.push("and one more".to_owned()),
            more => lines.push(format!("and {more} more")),
        }
        Some(lines.join("\n"))
    }
}

/// A run's answer for a terminal, with numbers and a list of addresses. `None` if it has no result.
pub fn in_plain_text(output: &WorkerOutput) -> Option<String> {
    let said = output.result.as_ref()?;
    let cited = Cited::of(said, &output.sources);
    let said = cited.numbered(said, |at, _, _| format!("[{}]", at + 1));
    let lines = cited.sources.iter().zip(1..).map(|(source, number)| {
        let title = invisible::shown_on_one_line(&source.title);
        let title = addresses::cut_in_text(&title, &|_| false);
        format!("{number}. {title} {}", source.url)
    });
    let mut list: Vec<String> = lines.take(MOST_LISTED).collect();
    list.extend(Some(cited.uncited).filter(|hosts| !hosts.is_empty()));
    Some(if list.is_empty() {
        said
    } else {
        format!("{said}\n\nSources\n{}", list.join("\n"))
    })
}

/// An answer without marks, for the conversation memory, where its sources are no longer available.
pub(crate) fn without_marks(said: &str) -> String {
    Cited::of("", &[]).numbered(said, |_, _, _| String::new())
}

/// The page's title as link text, or its host if it has none.
fn title(source: &Source) -> String {
    let title = invisible::shown_on_one_line(&source.title);
    let title = addresses::cut(&escape(title.trim()), &|_| false).replace('|', "¦");
    if title.is_empty() {
        escape(&addresses::host(&source.url))
    } else {
        head(&title, TITLE)
    }
}

/// The address escaped for a Slack link. `None` if it isn't a web address or is too long.
fn link(source: &Source) -> Option<String> {
    let url = Url::parse(&source.url).ok()?;
    let web = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= MOST_ADDRESS;
    let plain = escape(url.as_str()).replace('|', "%7C");
    web.then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(url: &str, title: &str) -> Source {
        let (url, title) = (url.to_owned(), title.to_owned());
        Source { url, title }
    }

    #[test]
    fn what_is_cited_is_numbered_linked_and_listed_once() {
        let given = [
            source("https://a.example/?x=1&y=2", "One <!channel> | two"),
            source("https://b.example/", "https://bank.example/login"),
            source("https://c.example/", ""),
        ];
        let [a, b, c] = [0, 1, 2].map(|at: usize| given[at].mark());
        let said = format!("So {b}{a}, and {b}. Not this [s000000]. `{c}`");
        let cited = Cited::of(&said, &given);
        let linked = "So <https://b.example/|[1]><https://a.example/?x=1&amp;y=2|[2]>, \
            and <https://b.example/|[1]>. Not this. `[3]`";
        assert_eq!(cited.linked(&said), linked);
        let listed = "*Sources*\n1. <https://b.example/|bank.example> (b.example)\n\
            2. <https://a.example/?x=1&amp;y=2|One &lt;!channel&gt; ¦ two> (a.example)\n\
            3. <https://c.example/|c.example> (c.example)";
        assert_eq!(cited.listed().unwrap(), listed);
        assert_eq!(without_marks(&said), "So, and. Not this. ``");
        let cited = Cited::of("So.", &given);
        let listed = "*Sources*\na.example, b.example, c.example";
        assert_eq!(cited.listed().unwrap(), listed, "none is linked");
        let output = WorkerOutput {
            sources: given[1..].to_vec(),
            ..WorkerOutput::done(format!("So {c}."), Vec::new())
        };
        let plain = "So [1].\n\nSources\n1.  https://c.example/";
        assert_eq!(in_plain_text(&output).unwrap(), plain);
    }

    #[test]
    fn only_addresses_of_the_web_are_links_and_no_endless_ones() {
        let long = format!("https://a.example/{}", "x".repeat(MOST_ADDRESS));
        for url in ["javascript:alert(1)", "slack://user", "a.example", &long] {
            let given = [source(url, "T")];
            let said = given[0].mark();
            let cited = Cited::of(&said, &given);
            assert_eq!(cited.linked(&said), "[1]");
            assert!(!cited.listed().unwrap().contains('<'), "{url}");
        }
        let sly = [source("https://a.example/|x><!channel", "T")];
        let listed = Cited::of(&sly[0].mark(), &sly).listed().unwrap();
        assert_eq!(listed.matches(['<', '>', '|']).count(), 3, "{listed}");
    }
}
