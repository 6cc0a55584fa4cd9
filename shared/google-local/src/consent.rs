//! The page on which people consent, at `/o/oauth2/v2/auth`.

use alfred_core::html::escaped;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use std::collections::BTreeSet;
use std::fmt::Write;

use crate::exchange::Asked;
use crate::oauth::Code;
use crate::picker;
use crate::scope;
use crate::state::{GoogleLocal, lock};

/// A request for consent that may be shown.
pub(crate) struct Wish<'a> {
    pub asked: &'a [(String, String)],
    scopes: Vec<&'a str>,
}

impl<'a> Wish<'a> {
    /// What is wrong with it is told here, and never sent to an address that isn't the client's.
    fn read(google: &GoogleLocal, asked: &'a [(String, String)]) -> Result<Self, String> {
        let client = &google.0.options.client;
        let wish = Self {
            asked,
            scopes: Vec::new(),
        };
        if wish.field("client_id") != client.id {
            return Err("Error 401: invalid_client".into());
        }
        let redirect_uri = wish.field("redirect_uri");
        if !client.redirect_uris.iter().any(|uri| uri == redirect_uri) {
            return Err(format!("Error 400: redirect_uri_mismatch ({redirect_uri})"));
        }
        if wish.field("response_type") != "code" {
            return Err("Error 400: unsupported_response_type".into());
        }
        let challenged = !wish.field("code_challenge").is_empty();
        if challenged && wish.field("code_challenge_method") != "S256" {
            return Err("Error 400: only S256 is taken as code_challenge_method".into());
        }
        let scopes: Vec<&str> = wish.field("scope").split_whitespace().collect();
        let unknown = scopes.iter().find(|scope| !scope::ALL.contains(scope));
        match (unknown, scopes.is_empty()) {
            (Some(unknown), _) => Err(format!("Error 400: invalid_scope ({unknown})")),
            (None, true) => Err("Error 400: Missing required parameter: scope".into()),
            (None, false) => {
                picker::check(&wish, &scopes)?;
                Ok(Self { scopes, ..wish })
            }
        }
    }

    pub fn field(&self, name: &str) -> &'a str {
        let found = self.asked.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// Back to the app, with these fields.
    fn back(&self, fields: &[(&str, &str)]) -> String {
        let mut fields = fields.to_vec();
        fields.push(("state", self.field("state")));
        let query = serde_urlencoded::to_string(fields).unwrap_or_default();
        let uri = self.field("redirect_uri");
        let join = if uri.contains('?') { '&' } else { '?' };
        format!("{uri}{join}{query}")
    }
}

/// Shows the page.
pub(crate) async fn page(State(google): State<GoogleLocal>, asked: Asked) -> Response {
    match Wish::read(&google, &asked.query) {
        Ok(wish) => shown(&google, &wish),
        Err(wrong) => (StatusCode::BAD_REQUEST, Html(document(&escaped(&wrong)))).into_response(),
    }
}

/// Takes what was answered on it: `account`, `allow` or `deny`, and each scope that stayed ticked.
pub(crate) async fn answer(State(google): State<GoogleLocal>, asked: Asked) -> Response {
    match decided(&google, &asked.form()) {
        Ok(back) => Redirect::to(&back).into_response(),
        Err(wrong) => (StatusCode::BAD_REQUEST, Html(document(&escaped(&wrong)))).into_response(),
    }
}

impl GoogleLocal {
    /// Somebody opens a consent's link, chooses their account, and allows all but what they untick. Gives the address
    /// that Google sends their browser to.
    ///
    /// # Errors
    /// What the page says is wrong with the link.
    pub fn allow(&self, link: &str, email: &str, unticked: &[&str]) -> Result<String, String> {
        let (_, query) = link.split_once('?').unwrap_or_default();
        let asked: Vec<(String, String)> =
            serde_urlencoded::from_str(query).map_err(|error| error.to_string())?;
        let scopes: Vec<String> = {
            let wish = Wish::read(self, &asked)?;
            let ticked = wish.scopes.iter().filter(|scope| !unticked.contains(scope));
            ticked.map(|&scope| scope.to_owned()).collect()
        };
        let ticked = scopes.into_iter().map(|scope| ("ticked".to_owned(), scope));
        self.answered(asked, email, ticked.collect())
    }

    /// Somebody opens a picker's link, chooses their account and these files of it. Gives the address that Google
    /// sends their browser to.
    ///
    /// # Errors
    /// What the page says is wrong with the link.
    pub fn pick(&self, link: &str, email: &str, files: &[&str]) -> Result<String, String> {
        let (_, query) = link.split_once('?').unwrap_or_default();
        let asked: Vec<(String, String)> =
            serde_urlencoded::from_str(query).map_err(|error| error.to_string())?;
        let named = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let mut answers: Vec<_> = files.iter().map(|id| named(picker::PICKED, id)).collect();
        answers.push(named("ticked", scope::DRIVE_FILE));
        self.answered(asked, email, answers)
    }

    fn answered(
        &self,
        asked: Vec<(String, String)>,
        email: &str,
        answers: Vec<(String, String)>,
    ) -> Result<String, String> {
        let mut form = asked;
        form.extend(answers);
        form.push(("account".into(), email.into()));
        form.push(("decision".into(), "allow".into()));
        decided(self, &form)
    }
}

/// Where the browser goes next.
fn decided(google: &GoogleLocal, form: &[(String, String)]) -> Result<String, String> {
    let wish = Wish::read(google, form)?;
    if wish.field("decision") != "allow" {
        return Ok(wish.back(&[("error", "access_denied")]));
    }
    let email = wish.field("account");
    if !google.has_account(email) {
        return Err("No such account.".into());
    }
    let ticked = form.iter().filter(|(key, _)| key == "ticked");
    let ticked: BTreeSet<&str> = ticked.map(|(_, value)| value.as_str()).collect();
    let granted = wish.scopes.iter().filter(|scope| {
        // Who somebody is has no box.
        ticked.contains(**scope) || [scope::OPENID, scope::EMAIL].contains(scope)
    });
    let text = |name: &str| Some(wish.field(name).to_owned()).filter(|text| !text.is_empty());
    let code = Code {
        email: email.to_owned(),
        scopes: granted.map(|&scope| scope.to_owned()).collect(),
        redirect_uri: wish.field("redirect_uri").to_owned(),
        challenge: text("code_challenge"),
        nonce: text("nonce"),
        offline: wish.field("access_type") == "offline",
        prompted: wish.field("prompt").contains("consent"),
        incremental: wish.field("include_granted_scopes") == "true",
        expires_at: None,
    };
    let scopes: Vec<String> = code.scopes.iter().cloned().collect();
    let mut state = lock(&google.0.state);
    let picked = picker::opened(&wish, state.accounts.get_mut(email));
    let code = state.oauth.consent(code, google.now());
    google.save(&state);
    let (scopes, mut fields) = (scopes.join(" "), vec![("code", code.as_str())]);
    fields.push(("scope", &scopes));
    fields.extend(picked.as_deref().map(|ids| ("picked_file_ids", ids)));
    Ok(wish.back(&fields))
}

fn shown(google: &GoogleLocal, wish: &Wish<'_>) -> Response {
    let mut form = String::from("<form method=\"post\"><fieldset><legend>Account</legend>");
    let hint = wish.field("login_hint");
    let (accounts, files): (Vec<(String, String)>, String) = {
        let state = lock(&google.0.state);
        let named = |account: &crate::Account| (account.email.clone(), account.name.clone());
        let files = picker::shown(wish, state.accounts.values());
        (state.accounts.values().map(named).collect(), files)
    };
    let hinted = accounts
        .iter()
        .position(|(email, _)| email == hint)
        .unwrap_or(0);
    for (at, (email, name)) in accounts.iter().enumerate() {
        let checked = if at == hinted { " checked" } else { "" };
        let (email, name) = (escaped(email), escaped(name));
        let _ = write!(
            form,
            "<label><input type=\"radio\" name=\"account\" value=\"{email}\"{checked}> {name} ({email})</label>"
        );
    }
    form.push_str("</fieldset><fieldset><legend>Alfred may</legend>");
    for &scope in wish
        .scopes
        .iter()
        .filter(|scope| !["openid", "email"].contains(scope))
    {
        let words = scope::words(scope);
        let _ = write!(
            form,
            "<label><input type=\"checkbox\" name=\"ticked\" value=\"{}\" checked> {words}</label>",
            escaped(scope)
        );
    }
    form.push_str("</fieldset>");
    form.push_str(&files);
    for (name, value) in wish.asked {
        let (name, value) = (escaped(name), escaped(value));
        let _ = write!(
            form,
            "<input type=\"hidden\" name=\"{name}\" value=\"{value}\">"
        );
    }
    form.push_str(
        "<button name=\"decision\" value=\"allow\">Allow</button> <button name=\"decision\" value=\"deny\">Cancel</button></form>",
    );
    let mut response = Html(document(&form)).into_response();
    // A browser holds the redirect behind the form to this too.
    let origin = wish
        .field("redirect_uri")
        .splitn(4, '/')
        .take(3)
        .collect::<Vec<_>>()
        .join("/");
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' {origin}; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        // Its form says where it comes from.
        headers.insert(
            header::REFERRER_POLICY,
            HeaderValue::from_static("same-origin"),
        );
    }
    response
}

fn document(body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Sign in: local Google</title><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:28rem;margin:10vh auto;padding:0 1rem;color-scheme:light dark}}fieldset{{border:1px solid #8888;border-radius:8px;margin:0 0 1rem}}label{{display:block;padding:.3rem 0}}button{{font:inherit;padding:.5rem 1.2rem;border-radius:6px;border:1px solid #8888}}button[value=allow]{{background:#1a56c4;color:#fff}}</style><h1>Local Google</h1><p>A stand-in on this machine: nothing here reaches Google.</p>{body}</html>"
    )
}
