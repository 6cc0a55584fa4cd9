//! The endpoints of the settings.

use alfred_core::ConfigError;
use alfred_core::config::{
    ALFRED_MODEL, ALFRED_MODEL_CONTEXT, ALFRED_MODEL_URL, OPENAI_API_KEY, OPENAI_BASE_URL,
};
use alfred_http::CachedSecret;

use super::providers::{PROVIDERS, known};

/// Used if `OPENAI_API_KEY` is set and no model is configured.
pub(super) const DEFAULT_OPENAI_MODEL: &str = "gpt-5-mini";
/// The provider of the platform's hosted models.
const BEDROCK: &str = "bedrock";
/// Provider name of endpoints that are known only by URL.
const CUSTOM: &str = "custom";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// OpenAI-compatible chat completions.
    Chat,
    /// OpenAI's Responses API.
    Responses,
    /// Anthropic's Messages API.
    Messages,
    /// Hosted by the platform, without an address.
    Hosted,
}

#[derive(Clone, Debug)]
pub struct Endpoint {
    /// As in `provider:model`.
    pub provider: String,
    /// `None` uses the first model that the endpoint lists.
    pub model: Option<String>,
    pub wire: Wire,
    /// Without the path of the wire form.
    pub base_url: String,
    pub key: Option<CachedSecret>,
    /// Context in tokens, prompt and answer together. `None` if it isn't set.
    pub context: Option<u32>,
}

impl Endpoint {
    /// Whether it is a known provider's own API, which refuses prompts that are too long.
    pub(super) fn is_hosted(&self) -> bool {
        let known = known(&self.provider).filter(|known| known.key_required);
        self.wire == Wire::Hosted || known.is_some_and(|known| known.base_url == self.base_url)
    }
}

#[derive(Clone, Debug)]
pub enum Selection {
    /// Nothing is configured, or the demo is requested. The caller supplies the demo model.
    Demo,
    /// The endpoints, in order of preference.
    Endpoints(Vec<Endpoint>),
}

impl Selection {
    /// Reads the settings. `Invalid` for an entry without a colon, an unknown provider without a URL, a bad
    /// URL, or a missing key.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let key = |name: &&str| set(&lookup, name);
        Self::with_keys(&lookup, |names| names.iter().find_map(key).map(Into::into))
    }

    /// As [`Self::read`], with keys from elsewhere: `keys` gets the names of the variables in order of preference.
    pub fn with_keys(
        lookup: impl Fn(&str) -> Option<String>,
        keys: impl Fn(&[&str]) -> Option<CachedSecret>,
    ) -> Result<Self, ConfigError> {
        let lookup = |name: &str| set(&lookup, name);
        let urls = Urls {
            all: url(ALFRED_MODEL_URL, lookup(ALFRED_MODEL_URL))?,
            openai: url(OPENAI_BASE_URL, lookup(OPENAI_BASE_URL))?,
            context: context(lookup(ALFRED_MODEL_CONTEXT))?,
        };
        let list = match (lookup(ALFRED_MODEL), keys(&[OPENAI_API_KEY])) {
            (Some(list), _) => list,
            (None, key) if urls.all.is_some() || urls.openai.is_some() => {
                return urls.first_offered(key);
            }
            (None, Some(_)) => format!("openai:{DEFAULT_OPENAI_MODEL}"),
            (None, None) => return Ok(Self::Demo),
        };
        Self::listed(&list, &urls, &keys)
    }

    fn listed(
        list: &str,
        urls: &Urls,
        keys: &impl Fn(&[&str]) -> Option<CachedSecret>,
    ) -> Result<Self, ConfigError> {
        let entries = list.split(',').map(str::trim);
        let entries: Vec<&str> = entries.filter(|entry| !entry.is_empty()).collect();
        if entries.iter().any(|entry| entry.starts_with("demo:")) {
            return match entries.as_slice() {
                ["demo:offline"] => Ok(Self::Demo),
                _ => Err(invalid(
                    "\"demo:offline\" is the only demo model, and it can't be part of a list",
                )),
            };
        }
        if entries.is_empty() {
            let reason = "names no model; set provider:model, such as openai:gpt-5.2";
            return Err(invalid(reason));
        }
        let endpoints = entries.into_iter().map(|entry| urls.endpoint(entry, keys));
        Ok(Self::Endpoints(endpoints.collect::<Result<_, _>>()?))
    }

    /// As [`Self::read`], with `provider:model` instead of `ALFRED_MODEL`.
    pub fn of(name: &str, lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        Self::read(|variable| match variable {
            ALFRED_MODEL => Some(name.to_owned()),
            other => lookup(other),
        })
    }
}

/// A setting, unless it is blank.
fn set(lookup: impl Fn(&str) -> Option<String>, name: &str) -> Option<String> {
    let value = lookup(name)?.trim().to_owned();
    (!value.is_empty()).then_some(value)
}

type Address = (String, Wire);

struct Urls {
    /// For every entry, such as a gateway.
    all: Option<Address>,
    /// For `openai` and for unknown names.
    openai: Option<Address>,
    context: Option<u32>,
}

impl Urls {
    fn first_offered(self, key: Option<CachedSecret>) -> Result<Selection, ConfigError> {
        let Some((base_url, Wire::Chat)) = self.all.or(self.openai) else {
            return Err(invalid(
                "names no model, and an endpoint of this form isn't asked which it has: set custom:MODEL",
            ));
        };
        Ok(Selection::Endpoints(vec![Endpoint {
            provider: CUSTOM.into(),
            model: None,
            wire: Wire::Chat,
            base_url,
            key,
            context: self.context,
        }]))
    }

    fn endpoint(
        &self,
        entry: &str,
        keys: &impl Fn(&[&str]) -> Option<CachedSecret>,
    ) -> Result<Endpoint, ConfigError> {
        let (provider, model) = entry.split_once(':').unwrap_or_default();
        if provider.is_empty() || model.is_empty() {
            return Err(invalid(format!(
                "\"{entry}\" isn't provider:model, such as openai:gpt-5.2 or ollama:llama3.3:70b"
            )));
        }
        let known = known(provider);
        let own_url = match known {
            Some(known) if known.name != "openai" => None,
            None if provider == BEDROCK => None,
            _ => self.openai.clone(),
        };
        let variable = key_variable(provider);
        let overridden = self.all.clone().or(own_url);
        let names = [variable.as_str(), OPENAI_API_KEY];
        let also_openai = overridden.is_some() && variable != OPENAI_API_KEY;
        let key = keys(&names[..1 + usize::from(also_openai)]);
        let (base_url, wire) = match (overridden, known) {
            (Some(address), _) => address,
            (None, _) if provider == BEDROCK => (String::new(), Wire::Hosted),
            (None, Some(known)) if known.key_required && key.is_none() => {
                return Err(invalid(format!("{entry} needs its key: set {variable}")));
            }
            (None, Some(known)) => (known.base_url.into(), known.wire),
            (None, None) => {
                let names = PROVIDERS.iter().map(|known| known.name);
                let names: Vec<&str> = names.chain([BEDROCK]).collect();
                return Err(invalid(format!(
                    "no address is known for provider \"{provider}\": set {ALFRED_MODEL_URL}, or use one of {}",
                    names.join(", ")
                )));
            }
        };
        Ok(Endpoint {
            provider: provider.into(),
            model: Some(model.into()),
            wire,
            base_url,
            key,
            context: self.context,
        })
    }
}

/// The key variables of all providers with an entry here.
pub fn known_key_variables() -> impl Iterator<Item = String> {
    let names = PROVIDERS.iter().map(|provider| provider.name);
    names.map(key_variable)
}

fn key_variable(provider: &str) -> String {
    if provider == "google" {
        return "GEMINI_API_KEY".into();
    }
    let name = provider.to_ascii_uppercase().replace('-', "_");
    format!("{name}_API_KEY")
}

fn context(value: Option<String>) -> Result<Option<u32>, ConfigError> {
    let Some(value) = value else { return Ok(None) };
    let tokens = value.parse().ok().filter(|&tokens| tokens > 0);
    let reason = || format!("\"{value}\" isn't a number of tokens, such as 8192");
    let wrong = || ConfigError::invalid(ALFRED_MODEL_CONTEXT, reason());
    tokens.map(Some).ok_or_else(wrong)
}

/// Parses a base URL. If it ends with the path of a wire form, it selects that form.
fn url(name: &'static str, value: Option<String>) -> Result<Option<Address>, ConfigError> {
    let Some(value) = value else { return Ok(None) };
    let parsed = reqwest::Url::parse(&value);
    let wrong = |reason: String| ConfigError::invalid(name, reason);
    let parsed = parsed.map_err(|error| wrong(format!("no URL: {error}")))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(wrong("must start with http:// or https://".into()));
    }
    let base = value.trim_end_matches('/');
    let forms = [
        ("/chat/completions", Wire::Chat),
        ("/responses", Wire::Responses),
        ("/messages", Wire::Messages),
        ("", Wire::Chat),
    ];
    let address = |(path, wire)| Some((base.strip_suffix(path)?.to_owned(), wire));
    Ok(forms.into_iter().find_map(address))
}

fn invalid(reason: impl Into<String>) -> ConfigError {
    ConfigError::invalid(ALFRED_MODEL, reason)
}

#[cfg(test)]
#[path = "provider_tests.rs"]
mod tests;
