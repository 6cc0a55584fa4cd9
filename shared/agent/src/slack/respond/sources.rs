//! Lists the sources of an answer: only pages that tool results of the run returned. The model
//! cites a page by a mark. A known mark becomes a numbered link, an unknown one is removed.

use alfred_core::source::{Piece, pieces};
use alfred_core::{Source, WorkerOutput, invisible};
use std::collections::HashSet;
use url::Url;

use crate::slack::respond::addresses::{self, escape};

const MOST_LISTED: usize = 12;
const TITLE: usize = 80;
/// Longer addresses aren't linked, since they would fill the section.
const MOST_ADDRESS: usize = 500;

/// The cited sources of an answer in order of citation. If it cites none: the hosts of the pages it
/// could have cited.
pub(crate) struct Cited<'a> {
    sources: Vec<&'a Source>,
    uncited: Vec<String>,
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
        let mut uncited = Vec::new();
        if sources.is_empty() {
            uncited.extend(given.iter().map(|source| addresses::host(&source.url)));
            let mut known = HashSet::new();
            uncited.retain(|host| known.insert(host.clone()));
            uncited.truncate(MOST_LISTED);
        }
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

    /// Replaces marks in mrkdwn by numbered links; inside code by plain numbers.
    pub fn linked(&self, mrkdwn: &str) -> String {
        self.numbered(mrkdwn, |at, source, in_code| match link(source) {
            Some(url) if !in_code => format!("<{url}|[{}]>", at + 1),
            _ => format!("[{}]", at + 1),
        })
    }

    /// The source list below an answer, if it has sources. Uncited pages are listed without links,
    /// since they may be strangers' pages from a search result.
    pub fn listed(&self) -> Option<String> {
        if self.sources.is_empty() {
            let hosts = escape(&self.uncited.join(", "));
            return (!hosts.is_empty()).then(|| format!("*Sources*\n{hosts}"));
        }
        let shown = self.sources.iter().take(MOST_LISTED).enumerate();
        let line = |(at, source): (usize, &&Source)| {
            let (title, host) = (title(source), escape(&addresses::host(&source.url)));
            match link(source) {
                Some(url) => format!("{}. <{url}|{title}> ({host})", at + 1),
                None => format!("{}. {title} ({host})", at + 1),
            }
        };
        let mut lines = vec!["*Sources*".to_owned()];
        lines.extend(shown.map(line));
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
    let lines = cited.sources.iter().enumerate().map(|(at, source)| {
        let title = invisible::shown_on_one_line(&source.title);
        let title = addresses::cut_in_text(&title, &|_| false);
        format!("\n{}. {title} {}", at + 1, source.url)
    });
    let list: String = lines.take(MOST_LISTED).collect();
    Some(match (list.is_empty(), cited.uncited.is_empty()) {
        (true, true) => said,
        (true, false) => format!("{said}\n\nSources\n{}", cited.uncited.join(", ")),
        (false, _) => format!("{said}\n\nSources{list}"),
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
    match title.is_empty() {
        true => escape(&addresses::host(&source.url)),
        false => super::head(&title, TITLE),
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
        Source {
            url: url.into(),
            title: title.into(),
        }
    }

    #[test]
    fn what_is_cited_is_numbered_linked_and_listed_once() {
        let given = [
            source("https://a.example/?x=1&y=2", "One <!channel> | two"),
            source("https://b.example/", "https://bank.example/login"),
            source("https://c.example/", ""),
        ];
        let [a, b, c] = [0, 1, 2].map(|at: usize| given[at].mark());
        let said = format!("It is so {b}{a}, and so {b}. Not this [s000000]. `{c}`");
        let cited = Cited::of(&said, &given);
        assert_eq!(
            cited.linked(&said),
            "It is so <https://b.example/|[1]><https://a.example/?x=1&amp;y=2|[2]>, and so <https://b.example/|[1]>. Not this. `[3]`"
        );
        assert_eq!(
            cited.listed().unwrap(),
            "*Sources*\n1. <https://b.example/|bank.example> (b.example)\n2. <https://a.example/?x=1&amp;y=2|One &lt;!channel&gt; ¦ two> (a.example)\n3. <https://c.example/|c.example> (c.example)"
        );
        assert_eq!(without_marks(&said), "It is so, and so. Not this. ``");
    }

    #[test]
    fn an_answer_that_cites_nothing_names_the_sites_without_links() {
        let url = |n: usize| format!("https://{n}.example/");
        let given: Vec<Source> = (0..9).map(|n| source(&url(n), "T")).collect();
        let cited = Cited::of("So.", &given);
        assert_eq!(cited.linked("So."), "So.");
        let listed = cited.listed().unwrap();
        assert!(listed.starts_with("*Sources*\n0.example, 1.example, "));
        assert!(!listed.contains('<'));
        assert_eq!(Cited::of("So.", &[]).listed(), None);
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

    #[test]
    fn a_terminal_has_addresses() {
        let given = vec![source("https://a.example/", "A")];
        let said = format!("So {}.", given[0].mark());
        let output = WorkerOutput {
            sources: given,
            ..WorkerOutput::done(said, Vec::new())
        };
        let plain = "So [1].\n\nSources\n1. A https://a.example/";
        assert_eq!(in_plain_text(&output).as_deref(), Some(plain));
    }
}
