use super::provider::Wire;

#[derive(Clone, Copy, Debug)]
pub struct Provider {
    /// As in `provider:model`.
    pub name: &'static str,
    pub wire: Wire,
    /// The default address, without the path of the wire form.
    pub base_url: &'static str,
    /// False for servers on one's own machine.
    pub key_required: bool,
}

const fn hosted(name: &'static str, wire: Wire, base_url: &'static str) -> Provider {
    Provider {
        name,
        wire,
        base_url,
        key_required: true,
    }
}

const fn own(name: &'static str, base_url: &'static str) -> Provider {
    Provider {
        key_required: false,
        ..hosted(name, Wire::Chat, base_url)
    }
}

pub(super) const PROVIDERS: &[Provider] = &[
    hosted("openai", Wire::Responses, "https://api.openai.com/v1"),
    hosted("anthropic", Wire::Messages, "https://api.anthropic.com/v1"),
    hosted(
        "google",
        Wire::Chat,
        "https://generativelanguage.googleapis.com/v1beta/openai",
    ),
    hosted("openrouter", Wire::Chat, "https://openrouter.ai/api/v1"),
    hosted("groq", Wire::Chat, "https://api.groq.com/openai/v1"),
    hosted("mistral", Wire::Chat, "https://api.mistral.ai/v1"),
    hosted("deepseek", Wire::Chat, "https://api.deepseek.com/v1"),
    hosted("together", Wire::Chat, "https://api.together.xyz/v1"),
    hosted("xai", Wire::Chat, "https://api.x.ai/v1"),
    own("ollama", "http://127.0.0.1:11434/v1"),
    own("lmstudio", "http://127.0.0.1:1234/v1"),
    own("vllm", "http://127.0.0.1:8000/v1"),
    own("llamacpp", "http://127.0.0.1:8080/v1"),
];

/// The model servers that run on one's own machine.
pub fn own_servers() -> impl Iterator<Item = Provider> {
    let all = PROVIDERS.iter().copied();
    all.filter(|provider| !provider.key_required)
}

pub(super) fn known(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}
