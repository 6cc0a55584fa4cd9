//! What people read about the web.

use std::time::Duration;

use crate::ports::{PageError, SearchError};

/// A search that found nothing.
pub fn nothing_found(query: &str) -> String {
    format!(
        "I found nothing for \u{201c}{query}\u{201d}. Fewer or other words may help, or a search of all sites."
    )
}

/// Why there is no search result.
pub fn not_searched(why: &SearchError) -> String {
    match why {
        SearchError::NotSetUp => {
            "Searching the web isn't set up here. An administrator can choose a search service: ALFRED_SEARCH with SEARXNG_URL, TAVILY_API_KEY or OPENAI_API_KEY.".into()
        }
        SearchError::OverQuota {
            retry_after: Some(after),
        } => format!(
            "The search service takes no more requests just now. Please try again in {}.",
            wait(*after)
        ),
        SearchError::OverQuota { retry_after: None } => {
            "The search service takes no more requests for now. Please try again later.".into()
        }
        SearchError::KeyRefused { .. } | SearchError::Refused { .. } => {
            "The search service doesn't accept my requests. An administrator has to look at its settings.".into()
        }
        SearchError::Down { .. } => {
            "I can't reach the search service at the moment. Please try again in a few minutes.".into()
        }
        SearchError::TooSlow => {
            "The search service took too long to answer. Please try again, maybe with fewer words.".into()
        }
    }
}

fn wait(after: Duration) -> String {
    match after.as_secs().div_ceil(60) {
        0 | 1 => "a minute".into(),
        minutes if minutes <= 90 => format!("{minutes} minutes"),
        minutes => format!("{} hours", minutes.div_ceil(60)),
    }
}

/// Why a page wasn't read.
pub fn page_not_read(why: &PageError) -> String {
    match why {
        PageError::BadAddress => "That isn't the address of a page that I can open.".into(),
        PageError::NotHttps => "I only open pages whose address begins with https://.".into(),
        PageError::Inward => {
            "That address leads into a private network, so I don't open it.".into()
        }
        PageError::NoSuchHost => "I can't find that site. Is its address right?".into(),
        PageError::TooManyRedirects => {
            "That page sends me from one address to the next, so I gave up.".into()
        }
        PageError::NotFound => "There is no page at that address.".into(),
        PageError::LoginNeeded => {
            "That page can only be read by those who log in there, and I don't.".into()
        }
        PageError::NotText { .. } => {
            "There is no text at that address that I could read: it is another kind of file.".into()
        }
        PageError::Status(_) => "That site doesn't let me read the page.".into(),
        PageError::TooSlow => "That page took too long to load.".into(),
        PageError::Down { .. } | PageError::Unanswered { .. } => {
            "I can't reach that site at the moment.".into()
        }
        PageError::NotSetUp => "Pages of the web can't be read here.".into(),
    }
}

/// The title of a card.
pub fn search_title() -> &'static str {
    "Search the web"
}

/// The title of a card.
pub fn read_pages_title(pages: usize) -> String {
    match pages {
        1 => "Open a page".into(),
        several => format!("Open {several} pages"),
    }
}

/// On a card: what is searched for.
pub fn search_query_label() -> &'static str {
    "For"
}

/// On a card: the only sites that count.
pub fn allowed_domains_label() -> &'static str {
    "Only on"
}

/// On a card: sites that don't count.
pub fn blocked_domains_label() -> &'static str {
    "Not on"
}

/// On a card: a page's address.
pub fn address_label() -> &'static str {
    "Address"
}

/// Above the sources of an answer.
pub fn sources_heading() -> &'static str {
    "Sources"
}

/// Below the sources of an answer, where there are more.
pub fn more_sources(more: usize) -> String {
    match more {
        1 => "and one more".into(),
        more => format!("and {more} more"),
    }
}

/// A reason: an address that nobody gave.
pub fn reason_unknown_address(private: &[String]) -> String {
    format!(
        "you didn't give this address, and I've read private data ({}): whoever is behind it sees what stands in it",
        super::cards::sources(private)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_said_in_round_numbers() {
        for (seconds, said) in [
            (0, "a minute"),
            (61, "2 minutes"),
            (5_400, "90 minutes"),
            (86_400, "24 hours"),
        ] {
            assert_eq!(wait(Duration::from_secs(seconds)), said);
        }
    }
}
