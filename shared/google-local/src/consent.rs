//! The page on which people consent, at `/o/oauth2/v2/auth`.

use alfred_core::html::escaped;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};

use crate::exchange::Asked;
use crate::oauth::{CODE, Code, Grant};
use crate::scope;
use crate::state::{GoogleLocal, lock};

/// Fields of a link or a form.
type Fields = Vec<(String, String)>;

/// A request for consent that may be shown.
pub(crate) struct Wish<'a> {
    pub asked: &'a Fields,
    scopes: Vec<&'a str>,
}

impl<'a> Wish<'a> {
    /// The error is shown here, and never sent to an address that isn't the client's.
    fn read(google: &GoogleLocal, asked: &'a Fields) -> Result<Self, String> {
        let client = &google.0.options.client;
        let scopes = Vec::new();
        let mut wish = Self { asked, scopes };
        if wish.field("client_id") != client.id {
            return Err("Error 401: invalid_client".into());
        }
        let redirect_uri = wish.field("redirect_uri");
        if !client.redirect_uris.iter().any(|uri| uri == redirect_uri) {
            return Err(format!("Error 400: redirect_uri_mismatch ({redirect_uri})"));
        }
        if wish.field("response_type") != "code" || wish.field("code_challenge_method") != "S256" {
            return Err("Error 400: this stand-in takes codes with S256 alone".into());
        }
        wish.scopes = wish.field("scope").split_whitespace().collect();
        let mut scopes = wish.scopes.iter();
        if let Some(unknown) = scopes.find(|scope| !scope::ALL.contains(scope)) {
            return Err(format!("Error 400: invalid_scope ({unknown})"));
        }
        Ok(wish)
    }

    pub fn field(&self, name: &str) -> &'a str {
        let found = self.asked.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    /// The app's address with this field.
    fn back(&self, name: &str, value: &str) -> String {
        let fields = [(name, value), ("state", self.field("state"))];
        let query = serde_urlencoded::to_string(fields).unwrap_or_default();
        format!("{}?{query}", self.field("redirect_uri"))
    }
}

fn wrong(why: &str) -> Response {
    (StatusCode::BAD_REQUEST, document(&escaped(why))).into_response()
}

pub(crate) async fn page(State(google): State<GoogleLocal>, asked: Asked) -> Response {
    let wish = Wish::read(&google, &asked.query);
    wish.map_or_else(|why| wrong(&why), |wish| shown(&google, &wish))
}

/// Takes the form: `account`, `allow` or `deny`, and each scope that stayed ticked.
pub(crate) async fn answer(State(google): State<GoogleLocal>, asked: Asked) -> Response {
    let decided = decided(&google, &asked.form());
    let back = |back: String| Redirect::to(&back).into_response();
    decided.map_or_else(|why| wrong(&why), back)
}

impl GoogleLocal {
    /// Consents with a link and an account, to all but the unticked scopes. Returns the address of the redirect, or
    /// the error on the page.
    pub fn allow(&self, link: &str, email: &str, unticked: &[&str]) -> Result<String, String> {
        let (_, query) = link.split_once('?').unwrap_or_default();
        let mut form: Fields =
            serde_urlencoded::from_str(query).map_err(|error| error.to_string())?;
        let mut answer = |name: &str, value: &str| form.push((name.to_owned(), value.to_owned()));
        for scope in scope::ALL.iter().filter(|scope| !unticked.contains(scope)) {
            answer("ticked", scope);
        }
        answer("account", email);
        answer("decision", "allow");
        decided(self, &form)
    }
}

/// The address of the redirect.
fn decided(google: &GoogleLocal, form: &Fields) -> Result<String, String> {
    let wish = Wish::read(google, form)?;
    if wish.field("decision") != "allow" {
        return Ok(wish.back("error", "access_denied"));
    }
    let email = wish.field("account");
    if !google.has_account(email) {
        return Err("No such account.".into());
    }
    let is_ticked = |scope: &str| {
        let mut fields = form.iter();
        fields.any(|(name, value)| name == "ticked" && value == scope)
    };
    let granted = wish.scopes.iter().filter(|scope| {
        // The identity has no box.
        is_ticked(scope) || [scope::OPENID, scope::EMAIL].contains(scope)
    });
    let scopes = granted.map(|&scope| scope.to_owned()).collect();
    let (email, now) = (email.to_owned(), google.now());
    let code = Code {
        grant: Grant { email, scopes },
        redirect_uri: wish.field("redirect_uri").to_owned(),
        challenge: Some(wish.field("code_challenge").to_owned()),
        offline: wish.field("access_type") == "offline",
        prompted: wish.field("prompt") == "consent",
        incremental: wish.field("include_granted_scopes") == "true",
        expires_at: now + CODE,
    };
    let mut state = lock(&google.0.state);
    let code = state.oauth.consent(code, now);
    google.save(&state);
    Ok(wish.back("code", &code))
}

fn shown(google: &GoogleLocal, wish: &Wish<'_>) -> Response {
    let mut form = String::from("<form method=\"post\"><fieldset><legend>Account</legend>");
    let state = lock(&google.0.state);
    let mut emails = state.accounts.keys();
    let hinted = emails.position(|email| email == wish.field("login_hint"));
    for (at, account) in state.accounts.values().enumerate() {
        let is_chosen = at == hinted.unwrap_or(0);
        let checked = if is_chosen { " checked" } else { "" };
        let (email, name) = (escaped(&account.email), escaped(&account.name));
        form += &format!(
            "<label><input type=\"radio\" name=\"account\" value=\"{email}\"{checked}> {name} ({email})</label>"
        );
    }
    form += "</fieldset><fieldset><legend>Alfred may</legend>";
    for &scope in &wish.scopes {
        if ![scope::OPENID, scope::EMAIL].contains(&scope) {
            let (words, scope) = (scope::words(scope), escaped(scope));
            form += &format!(
                "<label><input type=\"checkbox\" name=\"ticked\" value=\"{scope}\" checked> {words}</label>"
            );
        }
    }
    form += "</fieldset>";
    for (name, value) in wish.asked {
        let (name, value) = (escaped(name), escaped(value));
        form += &format!("<input type=\"hidden\" name=\"{name}\" value=\"{value}\">");
    }
    form += "<button name=\"decision\" value=\"allow\">Allow</button> <button name=\"decision\" value=\"deny\">Cancel</button></form>";
    // Browsers apply `form-action` to the redirect after the form too.
    let uri = wish.field("redirect_uri");
    let origin: Vec<&str> = uri.splitn(4, '/').take(3).collect();
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' {}; frame-ancestors 'none'",
        origin.join("/")
    );
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy.as_str()),
        // The guard needs the origin of the form.
        (header::REFERRER_POLICY, "same-origin"),
    ];
    (headers, document(&form)).into_response()
}

fn document(body: &str) -> Html<String> {
    Html(include_str!("consent.html").replace("{body}", body))
}
