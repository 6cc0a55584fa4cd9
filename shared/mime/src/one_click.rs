//! One-click unsubscription (RFC 8058). It requires a DKIM signature over both headers (RFC 6376) that the
//! mail's own server reports as valid (RFC 8601).

use alfred_core::ports::OneClick;
use mail_parser::Message;
use url::Url;

use crate::unsubscribe::entries;

const LISTED: &str = "list-unsubscribe";
const POST: &str = "list-unsubscribe-post";
/// Most bytes of a URL.
const ADDRESS: usize = 2_000;

/// Which `Authentication-Results` are trusted, since a sender can add forged ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verifier {
    /// The topmost of the server with this name, which removes all others with its name.
    Named(&'static str),
    /// The topmost: the server renames those of the sender.
    Topmost,
    /// Those above every `Received` header: the sender's are below that of the receiving server.
    Delivery,
}

/// The one-click page of a mail. Each header must occur exactly once.
pub(crate) fn of(message: &Message<'_>, verifier: Verifier) -> Option<OneClick> {
    let headers = message.headers_raw();
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim()));
    let headers: Vec<(String, &str)> = headers.collect();
    let post = only(&headers, POST)?;
    if !post.eq_ignore_ascii_case("List-Unsubscribe=One-Click") {
        return None;
    }
    let url = page(only(&headers, LISTED)?)?;
    Some(OneClick {
        host: url.host_str()?.to_owned(),
        url: url.to_string(),
        signed: reported(&headers, verifier).is_some_and(|results| is_signed(&headers, results)),
    })
}

fn only<'h>(headers: &[(String, &'h str)], name: &str) -> Option<&'h str> {
    let mut values = headers.iter().filter(|(known, _)| known == name);
    let (_, value) = values.next()?;
    values.next().is_none().then_some(*value)
}

/// The only web URL among the entries: `https` on its default port without credentials.
fn page(listed: &str) -> Option<Url> {
    let mut pages = entries(listed).filter(|entry| {
        let scheme = entry.split(':').next().unwrap_or_default();
        ["http", "https"].contains(&&*scheme.to_ascii_lowercase())
    });
    let written = pages.next().filter(|entry| entry.len() <= ADDRESS)?;
    let url = Url::parse(&written).ok()?;
    let plain = url.username().is_empty() && url.password().is_none() && url.port().is_none();
    (pages.next().is_none() && url.scheme() == "https" && plain).then_some(url)
}

fn reported<'h>(headers: &[(String, &'h str)], verifier: Verifier) -> Option<&'h str> {
    let above = match verifier {
        Verifier::Delivery => headers.iter().position(|(name, _)| name == "received"),
        Verifier::Named(_) | Verifier::Topmost => None,
    };
    let mut results = headers[..above.unwrap_or(headers.len())]
        .iter()
        .filter(|(name, _)| name == "authentication-results")
        .map(|(_, value)| *value);
    match verifier {
        Verifier::Named(server) => results.find(|value| {
            let named = value.split(';').next().unwrap_or_default();
            let named = named.split_whitespace().next().unwrap_or_default();
            named.eq_ignore_ascii_case(server)
        }),
        Verifier::Topmost | Verifier::Delivery => results.next(),
    }
}

/// Whether a signature that is reported as valid covers both headers.
fn is_signed(headers: &[(String, &str)], results: &str) -> bool {
    let signatures = headers.iter().filter(|(name, _)| name == "dkim-signature");
    let signatures: Vec<Signature> = signatures.map(|(_, value)| Signature::of(value)).collect();
    parts(results).iter().any(|result| {
        let mut named = signatures.iter().filter(|one| one.is_named_by(result));
        let valid = result.first().is_some_and(|(method, outcome)| {
            method.split('/').next() == Some("dkim") && outcome == "pass"
        });
        // If a result matches several signatures, all of them must cover the headers.
        valid && named.clone().next().is_some() && named.all(|one| one.covers)
    })
}

/// The properties of one result: the method and its outcome first.
type Properties = Vec<(String, String)>;

fn parts(results: &str) -> Vec<Properties> {
    let (mut parts, mut words, mut word) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut depth) = (false, 0_usize);
    let mut chars = results.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted || depth > 0 => {
                let escaped = chars.next();
                word.extend(escaped.filter(|_| depth == 0));
            }
            '"' if depth == 0 => quoted = !quoted,
            _ if quoted => word.push(c),
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            ';' => {
                words.push(std::mem::take(&mut word));
                parts.push(std::mem::take(&mut words));
            }
            c if c.is_whitespace() => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    parts.push(words);
    let property = |word: String| {
        let (name, value) = word.split_once('=')?;
        Some((name.to_ascii_lowercase(), value.to_owned()))
    };
    let each = parts.into_iter();
    each.map(|words| words.into_iter().filter_map(property).collect())
        .collect()
}

/// The tags of a DKIM signature.
#[derive(Default)]
struct Signature {
    domain: String,
    selector: String,
    bytes: String,
    /// Whether it covers both headers.
    covers: bool,
}

impl Signature {
    fn of(value: &str) -> Self {
        let mut signature = Self::default();
        for (name, value) in value.split(';').filter_map(|tag| tag.split_once('=')) {
            let value: String = value.split_whitespace().collect();
            match name.trim() {
                "d" => signature.domain = value.to_ascii_lowercase(),
                "s" => signature.selector = value.to_ascii_lowercase(),
                "b" => signature.bytes = value,
                "h" => {
                    let signed = |wanted| value.split(':').any(|h| h.eq_ignore_ascii_case(wanted));
                    signature.covers = signed(LISTED) && signed(POST);
                }
                _ => {}
            }
        }
        signature
    }

    /// Whether a result may refer to this signature.
    fn is_named_by(&self, result: &Properties) -> bool {
        let said = |wanted: &str| {
            let found = result.iter().find(|(name, _)| name == wanted);
            found.map(|(_, value)| value.to_ascii_lowercase())
        };
        let identity = said("header.i");
        let of = identity.as_ref().and_then(|who| who.rsplit('@').next());
        let below = |of: &str| of.ends_with(&format!(".{}", self.domain));
        let domain = match said("header.d") {
            Some(domain) => domain == self.domain,
            None => of.is_some_and(|of| of == self.domain || below(of)),
        };
        let selector = said("header.s").is_none_or(|selector| selector == self.selector);
        let bytes = self.bytes.to_ascii_lowercase();
        let bytes = said("header.b").is_none_or(|start| bytes.starts_with(&start));
        !self.domain.is_empty() && domain && selector && bytes
    }
}

#[cfg(test)]
#[path = "one_click_tests.rs"]
mod tests;
