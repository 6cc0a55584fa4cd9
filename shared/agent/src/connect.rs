//! The button under a reply with which its owner connects an account that a tool lacked.

use alfred_core::ports::{AccountService, Provider};
use alfred_core::text;
use serde_json::{Value, json};

use crate::rich_text;
use crate::step::{Step, StepKind};

/// The `action_id` of the button; its value is `PROVIDER:SERVICE,SERVICE`.
pub const CONNECT: &str = "account_connect";
/// The `action_id` of the button with which its owner chooses more files; its value is the provider.
pub const PICK: &str = "account_pick";
/// The `action_id` of a button that opens a link; nothing is left to do for Alfred.
pub const OPEN_LINK: &str = "link_open";
/// The field of a failed result that names the services it lacked.
pub const LACKED: &str = "connect";
/// The field of a failed result that found no such file.
pub const NOT_FOUND: &str = "not_found";
/// Characters of a button; Slack takes 75.
const BUTTON_CHARS: usize = 75;

/// What the tools of a run lacked, each once, in the order of [`AccountService::ALL`].
pub fn lacked(steps: &[Step]) -> Vec<AccountService> {
    let named = |step: &Step| match &step.did {
        StepKind::ToolResult {
            ok: false, output, ..
        } => serde_json::from_value(output[LACKED].clone()).ok(),
        _ => None,
    };
    let named: Vec<AccountService> = steps.iter().filter_map(named).collect();
    let mut all = AccountService::ALL.to_vec();
    all.retain(|service| named.contains(service));
    all
}

/// The button; nothing where nothing was lacked, or no provider is set up.
pub fn button(providers: &[Provider], lacked: &[AccountService]) -> Option<Value> {
    let button = |provider: &Provider| {
        let mut services = lacked.to_vec();
        services.retain(|service| provider.services().contains(service));
        (!services.is_empty()).then(|| {
            json!({
                "type": "button",
                "action_id": CONNECT,
                "style": "primary",
                "text": rich_text::plain(&text::connect_button(*provider), BUTTON_CHARS),
                "value": value(*provider, &services),
            })
        })
    };
    let elements: Vec<Value> = providers.iter().filter_map(button).collect();
    (!elements.is_empty())
        .then(|| json!({"type": "actions", "block_id": CONNECT, "elements": elements}))
}

/// Whether a tool of a run found no such file: it may be one that its owner never chose.
pub fn missed_a_file(steps: &[Step]) -> bool {
    steps.iter().any(|step| match &step.did {
        StepKind::ToolResult {
            ok: false, output, ..
        } => output[NOT_FOUND] == true,
        _ => false,
    })
}

/// The button that opens the files of an account.
pub fn pick_button(provider: Provider) -> Value {
    let button = json!({
        "type": "button",
        "action_id": PICK,
        "text": rich_text::plain(&text::pick_button(provider), BUTTON_CHARS),
        "value": provider.as_str(),
    });
    json!({"type": "actions", "block_id": PICK, "elements": [button]})
}

/// A button with these words that leads to the provider's own page.
pub fn link(words: &str, url: &str) -> Value {
    let button = json!({
        "type": "button",
        "action_id": OPEN_LINK,
        "style": "primary",
        "text": rich_text::plain(words, BUTTON_CHARS),
        "url": url,
    });
    json!({"type": "actions", "elements": [button]})
}

fn value(provider: Provider, services: &[AccountService]) -> String {
    let services: Vec<&str> = services.iter().map(|service| service.as_str()).collect();
    format!("{}:{}", provider.as_str(), services.join(","))
}

/// What a button's value asks for; `None` for one that no release of ours made.
pub fn read_value(value: &str) -> Option<(Provider, Vec<AccountService>)> {
    let (provider, services) = value.split_once(':')?;
    let services = services.split(',').map(AccountService::named);
    Some((Provider::named(provider)?, services.collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_read_as_it_was_written() {
        for services in [&AccountService::ALL[..], &[AccountService::Mail]] {
            let written = value(Provider::Google, services);
            let read = read_value(&written);
            assert_eq!(read, Some((Provider::Google, services.to_vec())));
        }
        for wrong in ["", "google", "google:", "google:mail,shoes", "other:mail"] {
            assert_eq!(read_value(wrong), None, "{wrong}");
        }
        assert_eq!(button(&[], &AccountService::ALL), None);
        assert_eq!(button(&Provider::ALL, &[]), None);
    }
}
