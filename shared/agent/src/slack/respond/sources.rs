//! Lists the sources of an answer: only pages that tool results of the run returned. The model
//! cites a page by a mark. A known mark becomes a numbered link, an unknown one is removed.

use alfred_core::source::{Piece, pieces};
use alfred_core::{Source, WorkerOutput, invisible};
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
        let mut uncited: Vec<String> = Vec::new();
        for source in given.iter().filter(|_| sources.is_empty()) {
            let host = addresses::host(&source.url);
            if !uncited.contains(&host) && uncited.len() < MOST_LISTED {
                uncited.push(host);
            }
        }
        Self { sources, uncited }
    }

    fn number(&self, mark: &str) -> Option<usize> {
        self.sources.iter().position(|one| one.mark() == mark)
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
                Piece::Mark(mark) => match self.number(mark) {
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
        let more = self.sources.len().saturating_sub(MOST_LISTED);
        lines.extend((more > 0).then(|| more_sources(more)));
        Some(lines.join("\n"))
    }
}

fn more_sources(more: usize) -> String {
    match more {
        1 => "and one more".into(),
        more => format!("and {more} more"),
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
    let mut list: String = lines.take(MOST_LISTED).collect();
    if !cited.uncited.is_empty() {
        list = format!("\n{}", cited.uncited.join(", "));
    }
    Some(if list.is_empty() {
        said
    } else {
        format!("{said}\n\nSources{list}")
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
        let [a, b, c] = [&given[0], &given[1], &given[2]].map(Source::mark);
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
    }

    #[test]
    fn an_answer_that_cites_nothing_names_the_sites_without_links() {
        let given: Vec<Source> = (0..9)
            .map(|n| source(&format!("https://{n}.example/"), "T"))
            .collect();
        let cited = Cited::of("So.", &given);
        assert_eq!(cited.linked("So."), "So.");
        let listed = cited.listed().unwrap();
        assert!(
            listed.starts_with("*Sources*\n0.example, 1.example, "),
            "{listed}"
        );
        assert!(!listed.contains('<'));
        assert_eq!(
            Cited::of("So [sabcdef].", &[]).linked("So [sabcdef]."),
            "So."
        );
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
    fn memory_has_no_marks_and_a_terminal_has_addresses() {
        let given = vec![source("https://a.example/", "A")];
        let said = format!("So {}.", given[0].mark());
        assert_eq!(without_marks(&said), "So.");
        let output = WorkerOutput {
            sources: given,
            ..WorkerOutput::done(said, Vec::new())
        };
        let plain = in_plain_text(&output).unwrap();
        assert_eq!(plain, "So [1].\n\nSources\n1. A https://a.example/");
    }
}
