//! What one person may use of a service in a minute: units of Gmail
//! (<https://developers.google.com/workspace/gmail/api/reference/quota>), requests of the others.

use jiff::Timestamp;
use std::collections::BTreeMap;

use crate::error::ApiError;

/// What may be used in a minute by one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Units of Gmail.
    pub gmail: u64,
    /// Requests of Calendar.
    pub calendar: u64,
    /// Requests of Docs.
    pub docs: u64,
    /// Requests of Sheets; reads and writes each.
    pub sheets: u64,
    /// Requests of Drive.
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

impl Quotas {
    fn of(&self, family: &str) -> u64 {
        match family {
            "gmail" => self.gmail,
            "calendar" => self.calendar,
            "docs" => self.docs,
            "sheets" => self.sheets,
            _ => self.drive,
        }
    }
}

/// What was used, by person and service.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// The minute that is counted, and what was used in it.
    minutes: BTreeMap<(String, String), (i64, u64)>,
    /// All that was ever used of each service.
    pub units: BTreeMap<String, u64>,
}

impl Used {
    /// Takes so many units of a service (`gmail`, `sheets.write`, …) for a person.
    pub fn take(
        &mut self,
        quotas: &Quotas,
        (email, service): (&str, &str),
        units: u64,
        now: Timestamp,
    ) -> Result<(), ApiError> {
        let minute = now.as_second().div_euclid(60);
        let family = service.split('.').next().unwrap_or(service);
        let used = self
            .minutes
            .entry((email.to_owned(), service.to_owned()))
            .or_insert((minute, 0));
        if used.0 != minute {
            *used = (minute, 0);
        }
        if used.1 + units > quotas.of(family) {
            let left = 60 - now.as_second().rem_euclid(60);
            let message =
                format!("Quota exceeded for quota metric of {service} per minute per user.");
            let error = match family {
                "calendar" => ApiError::new(403, "rateLimitExceeded", message),
                _ => ApiError::new(429, "rateLimitExceeded", message),
            };
            return Err(error.retry_after(u64::try_from(left).ok()));
        }
        used.1 += units;
        *self.units.entry(family.to_owned()).or_default() += units;
        Ok(())
    }
}
