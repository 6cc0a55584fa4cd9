//! Limits of one person in a minute: units of Gmail
//! (<https://developers.google.com/workspace/gmail/api/reference/quota>), requests of the others.

use jiff::Timestamp;
use std::collections::BTreeMap;

use crate::error::ApiError;

/// Limits of one person in a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Units.
    pub gmail: u64,
    pub calendar: u64,
    pub docs: u64,
    /// Reads and writes each.
    pub sheets: u64,
    pub drive: u64,
}

impl Default for Quotas {
    /// Google's own (November 2026).
    fn default() -> Self {
        Self {
            gmail: 6_000,
            calendar: 600,
            docs: 300,
            sheets: 60,
            drive: 12_000,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Used {
    /// The current minute and the use in it, by person and service.
    minutes: BTreeMap<(String, String), (i64, u64)>,
    /// Of each API since the start.
    pub units: BTreeMap<String, u64>,
}

/// What a call takes.
pub(crate) struct Use<'a> {
    pub email: &'a str,
    /// `gmail`, `sheets.write`, …
    pub service: String,
    pub units: u64,
}

impl Used {
    pub fn take(&mut self, quotas: &Quotas, call: Use<'_>, now: Timestamp) -> Result<(), ApiError> {
        let service = call.service;
        let minute = now.as_second().div_euclid(60);
        let api = service.split('.').next().unwrap_or_default().to_owned();
        let most = match api.as_str() {
            "gmail" => quotas.gmail,
            "calendar" => quotas.calendar,
            "docs" => quotas.docs,
            "sheets" => quotas.sheets,
            _ => quotas.drive,
        };
        let message = format!("Quota exceeded for quota metric of {service} per minute per user.");
        let used = self.minutes.entry((call.email.to_owned(), service));
        let used = used.or_default();
        if used.0 != minute {
            *used = (minute, 0);
        }
        if used.1 + call.units > most {
            let left = 60 - now.as_second().rem_euclid(60);
            let code = if api == "calendar" { 403 } else { 429 };
            let error = ApiError::new(code, "rateLimitExceeded", message);
            return Err(error.retry_after(u64::try_from(left).ok()));
        }
        used.1 += call.units;
        *self.units.entry(api).or_default() += call.units;
        Ok(())
    }
}
