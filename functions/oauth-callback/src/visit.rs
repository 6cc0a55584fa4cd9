use std::fmt;

pub const PATH: &str = "/oauth/callback";

pub(crate) const MOST_BYTES: usize = 16 * 1_024;

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Visit {
    /// Whether the visitor confirmed, or needs no confirmation.
    pub confirmed: bool,
    pub(crate) too_much: bool,
    pub(crate) posted: bool,
    fields: Vec<(String, String)>,
}

/// Omits the fields: they may hold a password.
impl fmt::Debug for Visit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visit").finish_non_exhaustive()
    }
}

impl Visit {
    pub fn arriving(query: &str) -> Self {
        Self {
            fields: serde_urlencoded::from_str(query).unwrap_or_default(),
            ..Self::default()
        }
    }

    pub fn confirming(form: &[u8]) -> Self {
        let too_much = form.len() > MOST_BYTES;
        let fields = serde_urlencoded::from_bytes(if too_much { b"" } else { form });
        Self {
            confirmed: true,
            too_much,
            posted: true,
            fields: fields.unwrap_or_default(),
        }
    }

    /// Marks a visitor who is known to be the owner: a consent needs no confirmation.
    pub fn by_the_owner(self) -> Self {
        Self {
            confirmed: self.code().is_some(),
            ..self
        }
    }

    pub fn state(&self) -> &str {
        self.field("state").unwrap_or_default()
    }

    /// `None` if the person declined.
    pub fn code(&self) -> Option<&str> {
        self.field("code").filter(|code| !code.is_empty())
    }

    /// Whether an administrator must consent first
    /// (<https://learn.microsoft.com/entra/identity-platform/reference-error-codes>).
    pub fn needs_administrator(&self) -> bool {
        const NUMBERS: [&str; 4] = ["AADSTS65001", "AADSTS90093", "AADSTS90094", "AADSTS90095"];
        let words = self.field("error_description").unwrap_or_default();
        self.field("error") == Some("consent_required")
            || NUMBERS.iter().any(|number| words.contains(number))
    }

    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let found = self.fields.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_administrators_consent_is_told_from_a_no() {
        let needs = "error=access_denied&error_description=AADSTS90094%3A+Admin \
            error=access_denied&error_description=AADSTS65001%3A+Nobody error=consent_required";
        let says_no = "error=access_denied&error_description=AADSTS65004%3A+Declined \
            error=access_denied state=AADSTS90094&code=x";
        for (queries, needed) in [(needs, true), (says_no, false)] {
            for query in queries.split(' ') {
                let visit = Visit::arriving(query);
                assert_eq!(visit.needs_administrator(), needed, "{query}");
            }
        }
    }
}
