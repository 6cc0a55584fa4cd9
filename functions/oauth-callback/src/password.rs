//! The form for mail and calendars by password.

use alfred_core::html::escaped;
use alfred_core::ports::Provider;
use alfred_mail_servers::{Field, Named, NotConnected, ServerAccounts, Untaken};

use crate::page::plain;
use crate::{OauthCallback, PATH, Page, Trouble, Visit, account_connected, problem, shown};

const SERVERS_HINT: &str = "Most providers want an app password, which you make in their settings for Alfred alone. It is tried once, kept like a key, and shown to nobody.";
const SERVERS_TOO_OFTEN: &str =
    "That was tried too often. Please ask for a new link in Slack later: `/alfred connect mail`.";

impl OauthCallback {
    pub(crate) async fn by_password(&self, servers: &ServerAccounts, visit: &Visit) -> Page {
        let answered = self.named(servers, visit).await;
        answered.unwrap_or_else(|trouble| problem(Provider::Servers, &trouble))
    }

    async fn named(&self, servers: &ServerAccounts, visit: &Visit) -> Result<Page, Trouble> {
        let state = visit.state();
        let account = servers.arriving(state).await?;
        let owner = self.owner(&account).await?;
        let form = |named: &_, wrong| Page::form(state, &shown(&owner), named, wrong);
        let Some(named) = visit.named() else {
            return Ok(form(&Default::default(), None));
        };
        let email = match servers.email(&named) {
            Ok(email) => email,
            Err(wrong) => return Ok(form(&named, Some(wrong))),
        };
        self.check_owner(&account.team, &email, &owner).await?;
        match servers.connect(state, &named).await {
            Ok(connection) => {
                let words = account_connected(&connection, &[]);
                Ok(self.told(&account, &connection, &words).await)
            }
            Err(NotConnected::Field(wrong)) => Ok(form(&named, Some(wrong))),
            Err(NotConnected::TooOften) => Ok(Page::says(429, SERVERS_TOO_OFTEN)),
            Err(NotConnected::Consent(error)) => Err(error.into()),
        }
    }
}

impl Visit {
    /// The account in our own form. A query string is ignored, since addresses end up in logs.
    pub fn named(&self) -> Option<Named> {
        let field = |name| self.field(name).unwrap_or_default().to_owned();
        self.posted.then(|| Named {
            email: field("email"),
            password: field("password").into(),
            user: field("user"),
            imap: field("imap"),
            smtp: field("smtp"),
            calendar: field("calendar"),
        })
    }
}

impl Page {
    /// Never contains the typed password.
    pub(crate) fn form(state: &str, name: &str, named: &Named, wrong: Option<Untaken>) -> Self {
        let said = |words: &str| format!("<p>{}</p>\n", plain(words));
        let mut body = said(&servers_whose(name));
        if let Some(wrong) = wrong {
            let words = plain(&wrong.words());
            body.push_str(&format!("<p role=\"alert\"><strong>{words}</strong></p>\n"));
        }
        let state = escaped(state);
        body.push_str(&format!("<form method=\"post\" action=\"{PATH}\">\n<input type=\"hidden\" name=\"state\" value=\"{state}\">\n"));
        body.push_str(&input(Field::Email, "email", &named.email));
        body.push_str(&input(Field::Password, "password", ""));
        let rare = [
            (Field::User, "user", &named.user),
            (Field::Imap, "imap", &named.imap),
            (Field::Smtp, "smtp", &named.smtp),
            (Field::Calendar, "calendar", &named.calendar),
        ];
        let asked = wrong.is_some_and(|wrong| rare.iter().any(|(field, ..)| *field == wrong.0));
        let filled = rare.iter().any(|(.., value)| !value.is_empty());
        let open = if asked || filled { " open" } else { "" };
        body.push_str(&format!(
            "<details{open}><summary>Servers and calendar</summary>\n"
        ));
        for (field, key, value) in rare {
            body.push_str(&input(field, key, value));
        }
        body.push_str("</details>\n<button>Check and connect</button>\n</form>\n");
        body.push_str(&said(SERVERS_HINT));
        Self::framed(if wrong.is_some() { 422 } else { 200 }, &body)
    }
}

fn servers_whose(name: &str) -> String {
    format!(
        "The mail account that you name here will be connected to Alfred for {name}. Go on only if that is you."
    )
}

fn input(field: Field, key: &str, value: &str) -> String {
    let (label, value) = (escaped(label(field)), escaped(value));
    let (kind, required) = match field {
        Field::Email => ("email", " required"),
        Field::Password => ("password", " required"),
        _ => ("text", ""),
    };
    format!(
        "<label>{label}<input type=\"{kind}\" name=\"{key}\" value=\"{value}\" autocomplete=\"off\" spellcheck=\"false\"{required}></label>\n"
    )
}

fn label(field: Field) -> &'static str {
    match field {
        Field::Email => "E-mail address",
        Field::Password => "App password",
        Field::User => "Sign-in name, if it isn't the address",
        Field::Imap => "Incoming mail (IMAP), like imap.example.com",
        Field::Smtp => "Outgoing mail (SMTP), like smtp.example.com",
        Field::Calendar => "Calendar's address (CalDAV), if there is one, as calendar apps show it",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_read_from_a_form_alone_and_shown_nowhere() {
        let fields = "state=mail.T1.U1.n&code=x&email=ana%40example.com&password=hush";
        assert!(Visit::arriving(fields).by_the_owner().named().is_none());
        let posted = Visit::confirming(fields.as_bytes());
        assert_eq!(posted.named().unwrap().email, "ana@example.com");
        assert!(!format!("{posted:?} {:?}", posted.named()).contains("hush"));
        let too_long = fields.to_owned() + &"x".repeat(crate::visit::MOST_BYTES);
        let much = Visit::confirming(too_long.as_bytes());
        assert!(much.too_much && much.state().is_empty());
    }
}
