//! The buttons under a reply to connect a missing account.

use alfred_core::ports::{AccountService, Provider};
use alfred_core::{Role, text};
use serde_json::{Value, json};

use crate::model::Step;
use crate::slack::rich_text;

/// `action_id` of the connect button. Its value is JSON: `[PROVIDER, [SERVICE, …]]`.
pub const CONNECT: &str = "account_connect";
/// `action_id` of a plain link button. Clicks need no handling.
pub const OPEN_LINK: &str = "link_open";
/// Field of a failed result that names the missing services.
pub const LACKED: &str = "connect";

/// The services that the run's tools lacked, without duplicates.
pub fn lacked(steps: &[Step]) -> Vec<AccountService> {
    let results = steps.iter().filter_map(Step::result);
    let failed = results.filter(|result| !result.ok);
    let named = failed.map(|result| result.output[LACKED].clone());
    let named = named.filter_map(|service| serde_json::from_value(service).ok());
    let named: Vec<AccountService> = named.collect();
    let mut all = AccountService::ALL.to_vec();
    all.retain(|service| named.contains(service));
    all
}

/// The connect buttons. `None` if no provider has a missing service.
pub fn button(providers: &[Provider], lacked: &[AccountService]) -> Option<Value> {
    let button = |provider: &Provider| {
        let mut services = lacked.to_vec();
        services.retain(|service| provider.services().contains(service));
        let label = text::connect_button(*provider);
        let value = json!([provider, services]).to_string();
        let any = !services.is_empty();
        any.then(|| rich_text::styled_button(CONNECT, &label, &value, "primary"))
    };
    rich_text::actions(CONNECT, providers.iter().filter_map(button).collect())
}

/// Instead of a button, where nothing offers a missing service.
pub fn none_offered(role: Role) -> Value {
    let how = text::how_to_set_up_accounts(role);
    let words = format!("No such account can be connected here yet. {how}");
    rich_text::line_block(vec![rich_text::text(&words)])
}

pub fn link(words: &str, url: &str) -> Value {
    let label = rich_text::plain(words, rich_text::BUTTON_CHARS);
    let button = json!({"type": "button", "action_id": OPEN_LINK, "style": "primary", "text": label, "url": url});
    json!({"type": "actions", "elements": [button]})
}
