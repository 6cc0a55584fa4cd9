use alfred_core::ConfigError;
use alfred_core::config::{
    ALFRED_SEARCH, OPENAI_API_KEY, OPENAI_BASE_URL, SEARXNG_URL, TAVILY_API_KEY,
};
use alfred_core::ports::{Clock, Offline, Search, Secrets, Web};
use alfred_http::{CachedSecret, Guard};
use std::sync::Arc;

use super::{
    Checked, CostOf, DEFAULT_OPENAI_URL, DEFAULT_TAVILY_URL, OpenAiSearch, Searxng, Tavily,
    WebPages,
};

/// The web ports of the settings. A key is in its variable, otherwise in the secret `alfred/NAME`, read at the first
/// search. Connects to nothing before it is used. `Invalid` or `Missing` if no search provider can be used.
pub fn from_settings(
    lookup: impl Fn(&str) -> Option<String>,
    secrets: Arc<dyn Secrets>,
    clock: Arc<dyn Clock>,
    cost_of: CostOf,
) -> Result<Web, ConfigError> {
    let set = |name: &str| lookup(name).filter(|value| !value.trim().is_empty());
    let key =
        |name: &str| CachedSecret::from_settings(&[name], set, secrets.clone(), clock.clone());
    let named = set(ALFRED_SEARCH).or_else(|| {
        let own = [(SEARXNG_URL, "searxng"), (TAVILY_API_KEY, "tavily")];
        let own = own.into_iter().find(|(name, _)| set(name).is_some());
        own.map(|(_, provider)| provider.to_owned())
    });
    let named = named.unwrap_or_default();
    let search: Arc<dyn Search> = match named.trim().split_once(':').unwrap_or((&named, "")) {
        ("", "") if named.is_empty() => Arc::new(Offline),
        ("searxng", "") => {
            let url = set(SEARXNG_URL).ok_or(ConfigError::Missing { name: SEARXNG_URL })?;
            Arc::new(Checked(Searxng::new(&url, clock)))
        }
        ("tavily", "") => {
            let key = key(TAVILY_API_KEY);
            Arc::new(Checked(Tavily::new(DEFAULT_TAVILY_URL, key, clock)))
        }
        ("openai", model) if !model.is_empty() => {
            let url = set(OPENAI_BASE_URL).unwrap_or_else(|| DEFAULT_OPENAI_URL.into());
            let key = key(OPENAI_API_KEY);
            Arc::new(Checked(OpenAiSearch::new(&url, model, key, clock, cost_of)))
        }
        _ => {
            let reason = format!(
                "\"{named}\" is no search; set searxng, tavily, or openai:model such as openai:gpt-5.2"
            );
            return Err(ConfigError::invalid(ALFRED_SEARCH, reason));
        }
    };
    let pages = Arc::new(WebPages::new(Guard::public()));
    Ok(Web { search, pages })
}
