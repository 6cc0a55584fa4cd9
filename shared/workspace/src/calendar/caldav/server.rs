//! The setting that names a calendar on a server.

use crate::Result;
use alfred_core::ConfigError;
use alfred_core::config::{ALFRED_CALDAV_PASSWORD, ALFRED_CALDAV_URL, is_loopback};
use jiff::tz::TimeZone;
use secrecy::SecretString;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use url::Url;

use super::CalDav;

/// A calendar on a server, and the login.
#[derive(Clone)]
pub struct CalDavServer {
    /// Without user and password.
    pub(super) url: Url,
    pub(super) user: String,
    pub(super) password: SecretString,
    /// The only addresses to connect to, if the name was resolved before.
    pub(super) pinned: Vec<SocketAddr>,
}

impl CalDavServer {
    /// Parses `https://user@host/path/of/the/calendar/`. An `@` in the user's name is `%40`. Without
    /// encryption only on this machine. `Invalid` for another form, without a user, or with a password in it;
    /// `Missing` without a password. No error repeats the URL, which may contain a password.
    pub fn read(url: &str, password: Option<SecretString>) -> Result<Self, ConfigError> {
        let invalid = |reason: &str| ConfigError::invalid(ALFRED_CALDAV_URL, reason);
        let mut url = Url::parse(url.trim()).map_err(|_| {
            invalid("it is no URL such as https://user@cloud.example.com/calendars/user/personal/")
        })?;
        if url.password().is_some() {
            let reason = format!("the password belongs into {ALFRED_CALDAV_PASSWORD}");
            return Err(invalid(&reason));
        }
        let user = percent_encoding::percent_decode_str(url.username()).decode_utf8();
        let user = user.map_err(|_| invalid("the user's name isn't UTF-8"))?;
        let user = user.into_owned();
        if user.is_empty() {
            return Err(invalid("it names no user"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(invalid("behind the calendar's path nothing may follow"));
        }
        if url.set_username("").is_err() {
            return Err(invalid("it names no server"));
        }
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(url.as_str()) => {}
            _ => return Err(invalid("it must start with https://")),
        }
        if !url.path().ends_with('/') {
            let path = format!("{}/", url.path());
            url.set_path(&path);
        }
        if url.path() == "/" {
            return Err(invalid("it names a server, but no calendar on it"));
        }
        let password = password.ok_or(ConfigError::Missing {
            name: ALFRED_CALDAV_PASSWORD,
        })?;
        Ok(Self {
            url,
            user,
            password,
            pinned: Vec::new(),
        })
    }

    pub fn host(&self) -> &str {
        self.url.host_str().unwrap_or_default()
    }

    /// Connects only to these addresses.
    pub fn pinned(self, to: Vec<IpAddr>) -> Self {
        let port = self.url.port_or_known_default().unwrap_or(443);
        let pinned = to.into_iter().map(|ip| SocketAddr::new(ip, port)).collect();
        Self { pinned, ..self }
    }

    /// Signs in and looks for the calendar. `Expired` if the login is refused, `Refused` if there is no such
    /// calendar, otherwise `NotReached`.
    pub async fn check(&self) -> Result<()> {
        CalDav::new(self, TimeZone::UTC)?.is_there().await
    }
}

/// Without user and password.
impl fmt::Display for CalDavServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.url.host_str().unwrap_or_default())
    }
}

impl fmt::Debug for CalDavServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CalDavServer({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_says_what_is_wrong_with_it() {
        let read = |url: &str, password: Option<&str>| {
            let server = CalDavServer::read(url, password.map(Into::into));
            server
                .map(|server| format!("{server:?} {} {}", server.user, server.url))
                .map_err(|error| error.to_string())
        };
        let url = "https://ana%40example.com@cloud.example.com:8443/calendars/ana/personal";
        assert_eq!(
            read(url, Some("hush")).unwrap(),
            "CalDavServer(cloud.example.com) ana@example.com https://cloud.example.com:8443/calendars/ana/personal/"
        );
        assert!(read("http://ana@127.0.0.1:5232/ana/calendar/", Some("x")).is_ok());
        let wrong = "http://ana@cloud.example.com/c/ hush https://
https://cloud.example.com/c/ hush no user
https://ana@cloud.example.com/ hush no calendar
https://ana@cloud.example.com/c/ - ALFRED_CALDAV_PASSWORD
https://ana:hush@cloud.example.com/c/ - ALFRED_CALDAV_PASSWORD
https://ana@cloud.example.com/c/?hush x nothing may follow
hush - no URL";
        for case in wrong.lines() {
            let mut parts = case.splitn(3, ' ');
            let (url, password) = (parts.next().unwrap(), parts.next().unwrap());
            let error = read(url, Some(password).filter(|it| *it != "-")).unwrap_err();
            let says = parts.next().unwrap();
            assert!(
                error.contains(says) && !error.contains("hush"),
                "{case}: {error}"
            );
        }
    }
}
