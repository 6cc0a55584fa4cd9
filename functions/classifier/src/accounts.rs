//! `/alfred connect`, `disconnect` and `accounts`, and the Connect button. All answers are private to the person.

use alfred_agent::slack::{connect, rich_text};
use alfred_core::ports::{
    Account, AccountService, ConnectError, Connection, Disconnected, Provider,
};
use alfred_core::{Envelope, ReplyAddress, Result, Role, User, text};

use crate::clicks::UNKNOWN_COMMAND;
use crate::people::Press;
use crate::{Classifier, answering, people, sweep};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// `connect [google|microsoft|mail] [mail …]`. Without named services: all services of the provider.
    Connect(Provider, Vec<AccountService>),
    Disconnect(Provider),
    Show,
    /// `connect` or `disconnect` with an unknown provider or service.
    Unclear,
}

impl Order {
    fn everything(provider: Provider) -> Self {
        Self::Connect(provider, provider.services().to_vec())
    }

    /// Parses a command's text. `None` if it is an ordinary request.
    pub fn parse(text: &str, unnamed: Provider) -> Option<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words.as_slice() {
            ["accounts"] => Some(Self::Show),
            ["connect"] => Some(Self::everything(unnamed)),
            ["disconnect"] => Some(Self::Disconnect(unnamed)),
            ["disconnect", provider] => {
                Some(Provider::named(provider).map_or(Self::Unclear, Self::Disconnect))
            }
            ["connect", provider, services @ ..] => {
                let Some(provider) = Provider::named(provider) else {
                    return services.is_empty().then_some(Self::Unclear);
                };
                let named = services.iter().map(|word| AccountService::named(word));
                let named: Option<Vec<AccountService>> = named.collect();
                let known = |service: &AccountService| provider.services().contains(service);
                Some(match named {
                    Some(named) if named.is_empty() => Self::everything(provider),
                    Some(named) if named.iter().all(known) => Self::Connect(provider, named),
                    Some(_) | None => Self::Unclear,
                })
            }
            _ => None,
        }
    }
}

impl Classifier {
    /// The provider of a command that names none.
    pub(crate) fn provider(&self) -> Provider {
        let providers = self.ports.accounts.connect.providers();
        providers.first().copied().unwrap_or(Provider::Google)
    }

    pub(crate) async fn accounts(
        &self,
        envelope: &Envelope,
        to: &ReplyAddress,
        order: Order,
    ) -> Result<()> {
        let Some(by) = people::known(&self.ports, envelope).await? else {
            return answering::notice(&self.ports, envelope, to, text::NOT_RECOGNISED).await;
        };
        let connect = &self.ports.accounts.connect;
        let account = Account::of(&envelope.team, &envelope.user);
        let disconnects = matches!(order, Order::Disconnect(_));
        let words = match order {
            Order::Connect(provider, services) => {
                return self.begin(envelope, &by, to, (provider, &services)).await;
            }
            Order::Unclear => Ok(connect_usage()),
            Order::Show => connect
                .connections(&account)
                .await
                .map(|all| connections(&all)),
            Order::Disconnect(provider) => {
                let gone = connect.disconnect(&account, provider).await;
                gone.map(|gone| match gone {
                    Some(gone) => account_disconnected(&gone),
                    None => format!("No {} account of yours is connected.", provider.shown()),
                })
            }
        };
        let words = words.unwrap_or_else(|error| trouble(error, by.role));
        answering::privately(&self.ports, envelope, to, words).await?;
        if disconnects && by.opened_home {
            self.refresh_home(envelope).await;
        }
        Ok(())
    }

    pub(crate) async fn connect_account(&self, press: Press<'_>) -> Result<()> {
        let value: Result<(Provider, Vec<AccountService>), _> =
            serde_json::from_str(&press.click.value);
        let Ok((provider, services)) = value else {
            return self.whisper(press, UNKNOWN_COMMAND).await;
        };
        let to = &press.click.reply_to;
        self.begin(press.envelope, press.by, to, (provider, &services))
            .await
    }

    async fn begin(
        &self,
        envelope: &Envelope,
        by: &User,
        to: &ReplyAddress,
        (provider, services): (Provider, &[AccountService]),
    ) -> Result<()> {
        let asked_at = self.ports.clock.now();
        let account = Account::of(&envelope.team, &envelope.user);
        let connect = &self.ports.accounts.connect;
        let url = match connect.begin(&account, provider, services).await {
            Ok(url) => url,
            Err(error) => {
                let words = trouble(error, by.role);
                return answering::privately(&self.ports, envelope, to, words).await;
            }
        };
        let words = connect_link(provider);
        let line = rich_text::section(vec![rich_text::text(&words)]);
        let link = connect::link(&text::connect_button(provider), &url);
        let blocks = vec![rich_text::block(vec![line]), link];
        answering::all_privately(&self.ports, envelope, to, &words, vec![blocks]).await?;
        if by.opened_home {
            let awaited = sweep::await_account(&self.ports, &account, provider, asked_at).await;
            if let Err(failure) = awaited {
                tracing::warn!(user.id = %account.user, error = %failure, "a Home tab may not show a new account");
            }
        }
        Ok(())
    }
}

fn connect_link(provider: Provider) -> String {
    if provider == Provider::Servers {
        return "This opens Alfred's own page, where you name your mail account and an app password for it. The link is yours alone; it works for ten minutes.".into();
    }
    let provider = provider.shown();
    format!(
        "This opens {provider}, where you choose what Alfred may do. The link is yours alone; it works once, for ten minutes."
    )
}

pub(crate) fn connections(all: &[Connection]) -> String {
    if all.is_empty() {
        return "You haven't connected an account.".into();
    }
    let line = |one: &Connection| {
        let (provider, email) = (one.provider.shown(), &one.email);
        if one.ended {
            format!("{provider}: {email}. My access has ended; please connect it again.")
        } else {
            let services = one.services.iter().copied();
            let (used, unused): (Vec<_>, Vec<_>) =
                services.partition(|service| one.used_for(*service, all));
            let mut line = if used.is_empty() {
                format!("{provider}: {email}.")
            } else {
                let used = text::account_services(&used);
                format!("{provider}: {email}, for {used}.")
            };
            if !unused.is_empty() {
                let unused = text::account_services(&unused);
                line.push_str(&format!(
                    " Another account is used for {unused}: I take the one you connected last."
                ));
            }
            line
        }
    };
    all.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn account_disconnected(gone: &Disconnected) -> String {
    let (provider, email) = (gone.connection.provider, &gone.connection.email);
    let here = if gone.erased {
        "what I stored of it is deleted".to_owned()
    } else {
        format!(
            "I couldn't delete all that I stored of it, so please write `disconnect {}` again in a few minutes",
            provider.as_str()
        )
    };
    let there = match provider {
        Provider::Google if gone.revoked => "The access has ended at Google too.",
        Provider::Google => {
            "I couldn't end the access at Google, so please remove Alfred on https://myaccount.google.com/permissions."
        }
        Provider::Microsoft => {
            "Microsoft has no way for me to end the access there too; you can remove Alfred on https://myapps.microsoft.com, or for a personal account on https://account.live.com/consent/Manage."
        }
        Provider::Servers => "Please end the password there too, if it was one for Alfred alone.",
    };
    let provider = provider.shown();
    format!("Alfred no longer uses your {provider} account {email}: {here}. {there}")
}

fn trouble(error: ConnectError, role: Role) -> String {
    match error {
        ConnectError::NotSetUp(provider) => format!(
            "{} accounts can't be connected here yet. {}",
            provider.shown(),
            text::how_to_set_up_accounts(role)
        ),
        ConnectError::Unavailable { detail } => {
            tracing::warn!(detail, "an account couldn't be connected or disconnected");
            text::CONNECT_NOT_NOW.to_owned()
        }
    }
}

fn connect_usage() -> String {
    let services = Provider::Google.services();
    let services: Vec<&str> = services.iter().map(|one| one.as_str()).collect();
    format!(
        "Write `connect google`, `connect microsoft` or `connect mail` (any other mail, by password), or name what it is for: `connect google {}`. `disconnect google` ends it, `accounts` shows what is connected.",
        services.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_from_requests() {
        use AccountService::{Calendar, Documents, Mail};
        let google = |of: &[AccountService]| Some(Order::Connect(Provider::Google, of.to_vec()));
        let all = |provider| Some(Order::everything(provider));
        let gone = |provider| Some(Order::Disconnect(provider));
        for (text, order) in [
            ("accounts", Some(Order::Show)),
            ("connect", google(Provider::Google.services())),
            ("connect Google", google(Provider::Google.services())),
            (" connect google mail  calendar ", google(&[Mail, Calendar])),
            ("disconnect google", gone(Provider::Google)),
            ("disconnect", gone(Provider::Google)),
            ("connect microsoft", all(Provider::Microsoft)),
            ("connect microsoft sheets", Some(Order::Unclear)),
            ("connect mail", all(Provider::Servers)),
            ("connect yahoo", Some(Order::Unclear)),
            ("connect google shoes", Some(Order::Unclear)),
            ("connect google documents", google(&[Documents])),
            ("disconnect microsoft", gone(Provider::Microsoft)),
            ("connect me with Ben", None),
            ("accounts payable: remind Ben", None),
            ("disconnect the printer please", None),
        ] {
            assert_eq!(Order::parse(text, Provider::Google), order, "{text}");
        }
    }

    #[test]
    fn account_connected_last_is_said_to_be_used() {
        use AccountService::{Calendar, Mail, MailSend};
        let connection = |provider: Provider, since, services| Connection {
            provider,
            email: format!("ana@{}.example", provider.as_str()),
            services,
            since: jiff::Timestamp::from_second(since).unwrap(),
            ended: false,
        };
        let microsoft = connection(Provider::Microsoft, 2, vec![Mail]);
        let google = connection(Provider::Google, 1, vec![Mail, MailSend, Calendar]);
        assert_eq!(
            connections(&[microsoft, google]),
            "Microsoft 365: ana@microsoft.example, for reading and sorting mail.\n\
             Google: ana@google.example, for calendar. Another account is used for reading and sorting mail, \
             sending mail: I take the one you connected last."
        );
    }
}
