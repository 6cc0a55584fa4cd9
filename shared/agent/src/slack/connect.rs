//! Buttons under a reply to connect a missing account or to choose files in one.

use alfred_core::ports::{AccountService, Provider};
use alfred_core::text;
use serde_json::{Value, json};

use crate::model::step::{CallResult, Step};
use crate::slack::rich_text;

/// `action_id` of the connect button. Its value is `PROVIDER:SERVICE,SERVICE`.
pub const CONNECT: &str = "account_connect";
/// `action_id` of the button to choose more files. Its value is the provider.
pub const PICK: &str = "account_pick";
/// `action_id` of a plain link button. Clicks need no handling.
pub const OPEN_LINK: &str = "link_open";
/// Field of a failed result that names the missing services.
pub const LACKED: &str = "connect";
/// Field of a failed result whose file wasn't found.
pub const NOT_FOUND: &str = "not_found";
/// Maximum characters of a button label. Slack accepts 75.
const BUTTON_CHARS: usize = 75;

/// The services that the run's tools lacked, without duplicates, in the order of [`AccountService::ALL`].
pub fn lacked(steps: &[Step]) -> Vec<AccountService> {
    let named = failures(steps)
        .filter_map(|result| serde_json::from_value(result.output[LACKED].clone()).ok());
    let named: Vec<AccountService> = named.collect();
    let mut all = AccountService::ALL.to_vec();
    all.retain(|service| named.contains(service));
    all
}

/// The connect buttons. `None` if no service was missing or no provider has it.
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

/// Whether a tool didn't find a file. The owner may not have given access to it.
pub fn missed_a_file(steps: &[Step]) -> bool {
    failures(steps).any(|result| result.output[NOT_FOUND] == true)
}

fn failures(steps: &[Step]) -> impl Iterator<Item = &CallResult> {
    let results = steps.iter().filter_map(Step::result);
    results.filter(|result| !result.ok)
}

/// The button to choose files of an account.
pub fn pick_button(provider: Provider) -> Value {
    let button = json!({
        "type": "button",
        "action_id": PICK,
        "text": rich_text::plain(&text::pick_button(provider), BUTTON_CHARS),
        "value": provider.as_str(),
    });
    json!({"type": "actions", "block_id": PICK, "elements": [button]})
}

/// A button that opens the provider's page.
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
