//! Which endpoints answer: known providers, and what the settings make of them.

use alfred_core::ConfigError;
use alfred_core::config::{ALFRED_MODEL, ALFRED_MODEL_URL, OPENAI_API_KEY, OPENAI_BASE_URL};
use secrecy::SecretString;

/// Taken when `OPENAI_API_KEY` is set and nothing says otherwise.
pub const DEFAULT_OPENAI_MODEL: &str = "gpt-5-mini";
/// Name of endpoints known by their URL alone.
const CUSTOM: &str = "custom";

/// An OpenAI-compatible API under a name.
struct Provider {
    name: &'static str,
    base_url: &'static str,
    key_variable: &'static str,
    /// On one's own machine no key is asked for.
    key_required: bool,
}

const fn hosted(
    name: &'static str,
    base_url: &'static str,
    key_variable: &'static str,
) -> Provider {
    Provider {
        name,
        base_url,
        key_variable,
        key_required: true,
    }
}

const fn own(name: &'static str, base_url: &'static str, key_variable: &'static str) -> Provider {
    Provider {
        name,
        base_url,
        key_variable,
        key_required: false,
    }
}

const PROVIDERS: &[Provider] = &[
    hosted("openai", "https://api.openai.com/v1", OPENAI_API_KEY),
    hosted(
        "anthropic",
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
    ),
    hosted(
        "google",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        "GEMINI_API_KEY",
    ),
    hosted(
        "openrouter",
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
    ),
    hosted("groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    hosted("mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    hosted(
        "deepseek",
        "https://api.deepseek.com/v1",
        "DEEPSEEK_API_KEY",
    ),
    hosted(
        "together",
        "https://api.together.xyz/v1",
        "TOGETHER_API_KEY",
    ),
    hosted("xai", "https://api.x.ai/v1", "XAI_API_KEY"),
    own("ollama", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY"),
    own("lmstudio", "http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY"),
    own("vllm", "http://127.0.0.1:8000/v1", "VLLM_API_KEY"),
    own("llamacpp", "http://127.0.0.1:8080/v1", "LLAMACPP_API_KEY"),
];

/// A server of models that people run on their own machine, without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnServer {
    /// As in `provider:model`.
    pub provider: &'static str,
    /// Its usual address, up to and without `/models`.
    pub base_url: &'static str,
}

/// Those that `ALFRED_MODEL` knows.
pub fn own_servers() -> impl Iterator<Item = OwnServer> {
    let own = PROVIDERS.iter().filter(|provider| !provider.key_required);
    own.map(|provider| OwnServer {
        provider: provider.name,
        base_url: provider.base_url,
    })
}

/// One model at one endpoint.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Its provider's name, as in `provider:model`.
    pub provider: String,
    /// The model; `None` takes the first that the endpoint lists.
    pub model: Option<String>,
    /// Up to and without `/chat/completions`.
    pub base_url: String,
    /// Sent as a bearer token; printed by nothing.
    pub key: Option<SecretString>,
    /// Whether answers are asked for in pieces; off for an endpoint that can't.
    pub streamed: bool,
}

/// Who answers.
#[derive(Clone, Debug)]
pub enum Selection {
    /// Nobody is configured, or the demo is asked for: whoever has a demo model takes it.
    Demo,
    /// These, in order: the first that answers.
    Endpoints(Vec<Endpoint>),
}

impl Selection {
    /// Reads the settings through a look-up of variables.
    ///
    /// # Errors
    /// `Invalid` for an entry without a colon, an unknown provider without a
    /// URL, a URL that isn't one, or a missing key, with what to set.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let lookup = |name: &str| {
            let value = lookup(name)?.trim().to_owned();
            (!value.is_empty()).then_some(value)
        };
        let urls = Urls::read(&lookup)?;
        let Some(list) = lookup(ALFRED_MODEL) else {
            return Ok(urls.without_a_name(&lookup));
        };
        let entries: Vec<&str> = list
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .collect();
        if entries.iter().any(|entry| entry.starts_with("demo:")) {
            return match entries.as_slice() {
                ["demo:offline"] => Ok(Self::Demo),
                _ => Err(invalid(
                    "\"demo:offline\" is the only demo model, and it can't be part of a list",
                )),
            };
        }
        let endpoints: Vec<Endpoint> = entries
            .into_iter()
            .map(|entry| urls.endpoint(entry, &lookup))
            .collect::<Result<_, _>>()?;
        if endpoints.is_empty() {
            return Err(invalid(
                "names no model; set provider:model, such as openai:gpt-5.2",
            ));
        }
        Ok(Self::Endpoints(endpoints))
    }

    /// The variable that holds the key of each provider named in a value of
    /// `ALFRED_MODEL`, for callers that fetch secrets one by one.
    #[must_use]
    pub fn key_variables(models: &str) -> Vec<String> {
        let mut names: Vec<String> = models
            .split(',')
            .filter_map(|entry| entry.trim().split_once(':'))
            .filter(|(provider, _)| *provider != "demo")
            .map(|(provider, _)| key_variable(provider))
            .collect();
        if names.is_empty() {
            names.push(OPENAI_API_KEY.into());
        }
        names.dedup();
        names
    }
}

struct Urls {
    /// For every entry: a gateway in front of them all.
    all: Option<String>,
    /// For `openai` and for names this table doesn't know.
    openai: Option<String>,
}

impl Urls {
    fn read(lookup: &impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        Ok(Self {
            all: url(ALFRED_MODEL_URL, lookup(ALFRED_MODEL_URL))?,
            openai: url(OPENAI_BASE_URL, lookup(OPENAI_BASE_URL))?,
        })
    }

    /// Without `ALFRED_MODEL`: what a URL offers, else OpenAI if there is a key.
    fn without_a_name(self, lookup: &impl Fn(&str) -> Option<String>) -> Selection {
        let key = lookup(OPENAI_API_KEY).map(SecretString::from);
        let endpoint = match (self.all.or(self.openai), &key) {
            (Some(base_url), _) => Endpoint {
                provider: CUSTOM.into(),
                model: None,
                base_url,
                key,
                streamed: true,
            },
            (None, Some(_)) => Endpoint {
                provider: "openai".into(),
                model: Some(DEFAULT_OPENAI_MODEL.into()),
                base_url: "https://api.openai.com/v1".into(),
                key,
                streamed: true,
            },
            (None, None) => return Selection::Demo,
        };
        Selection::Endpoints(vec![endpoint])
    }

    fn endpoint(
        &self,
        entry: &str,
        lookup: &impl Fn(&str) -> Option<String>,
    ) -> Result<Endpoint, ConfigError> {
        let (provider, model) = entry
            .split_once(':')
            .filter(|(provider, model)| !provider.is_empty() && !model.is_empty())
            .ok_or_else(|| {
                invalid(format!(
                    "\"{entry}\" isn't provider:model, such as openai:gpt-5.2 or ollama:llama3.3:70b"
                ))
            })?;
        let known = known(provider);
        let own_url = match known {
            Some(known) if known.name != "openai" => None,
            _ => self.openai.clone(),
        };
        let variable = key_variable(provider);
        let overridden = self.all.clone().or(own_url);
        let key = lookup(&variable)
            .or_else(|| overridden.as_ref().and_then(|_| lookup(OPENAI_API_KEY)))
            .map(SecretString::from);
        let base_url = match (overridden, known) {
            (Some(url), _) => url,
            (None, Some(known)) if known.key_required && key.is_none() => {
                return Err(invalid(format!("{entry} needs its key: set {variable}")));
            }
            (None, Some(known)) => known.base_url.into(),
            (None, None) => {
                let names: Vec<&str> = PROVIDERS.iter().map(|known| known.name).collect();
                return Err(invalid(format!(
                    "no address is known for provider \"{provider}\": set {ALFRED_MODEL_URL}, or use one of {}",
                    names.join(", ")
                )));
            }
        };
        Ok(Endpoint {
            provider: provider.into(),
            model: Some(model.into()),
            base_url,
            key,
            streamed: true,
        })
    }
}

fn known(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}

fn key_variable(provider: &str) -> String {
    known(provider).map_or_else(
        || {
            format!(
                "{}_API_KEY",
                provider.to_ascii_uppercase().replace('-', "_")
            )
        },
        |known| known.key_variable.to_owned(),
    )
}

fn url(name: &'static str, value: Option<String>) -> Result<Option<String>, ConfigError> {
    let Some(value) = value else { return Ok(None) };
    let parsed = reqwest::Url::parse(&value).map_err(|error| ConfigError::Invalid {
        name,
        reason: format!("no URL: {error}"),
    })?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(ConfigError::Invalid {
            name,
            reason: "must start with http:// or https://".into(),
        });
    }
    let base = value.trim_end_matches('/');
    let base = base.strip_suffix("/chat/completions").unwrap_or(base);
    Ok(Some(base.into()))
}

fn invalid(reason: impl Into<String>) -> ConfigError {
    ConfigError::Invalid {
        name: ALFRED_MODEL,
        reason: reason.into(),
    }
}

#[cfg(test)]
#[path = "provider_tests.rs"]
mod tests;
