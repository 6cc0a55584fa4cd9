use alfred_core::config::OPENAI_API_KEY;

use super::provider::Wire;

pub(super) struct Provider {
    pub(super) name: &'static str,
    pub(super) wire: Wire,
    pub(super) base_url: &'static str,
    pub(super) key_variable: &'static str,
    /// False for servers on one's own machine.
    pub(super) key_required: bool,
}

const fn hosted(
    name: &'static str,
    base_url: &'static str,
    key_variable: &'static str,
) -> Provider {
    Provider {
        name,
        wire: Wire::Chat,
        base_url,
        key_variable,
        key_required: true,
    }
}

const fn own(name: &'static str, base_url: &'static str, key_variable: &'static str) -> Provider {
    Provider {
        name,
        wire: Wire::Chat,
        base_url,
        key_variable,
        key_required: false,
    }
}

pub(super) const PROVIDERS: &[Provider] = &[
    Provider {
        wire: Wire::Responses,
        ..hosted("openai", "https://api.openai.com/v1", OPENAI_API_KEY)
    },
    Provider {
        wire: Wire::Messages,
        ..hosted(
            "anthropic",
            "https://api.anthropic.com/v1",
            "ANTHROPIC_API_KEY",
        )
    },
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

/// A model server on people's own machine, without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnServer {
    /// As in `provider:model`.
    pub provider: &'static str,
    /// The default address, without `/models`.
    pub base_url: &'static str,
}

pub fn own_servers() -> impl Iterator<Item = OwnServer> {
    let own = PROVIDERS.iter().filter(|provider| !provider.key_required);
    own.map(|provider| OwnServer {
        provider: provider.name,
        base_url: provider.base_url,
    })
}

pub(super) fn known(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}
