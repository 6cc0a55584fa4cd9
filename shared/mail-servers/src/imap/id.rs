//! Ids of mails.

use alfred_core::id::MailId;
use alfred_mime::Raw;
use jiff::Timestamp;

/// Properties that survive a move (RFC 3501, 6.4.7 keeps flags and the internal date).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    /// Arrival in whole seconds.
    pub at: Timestamp,
    /// In bytes.
    pub size: u32,
    /// Digest of the header.
    digest: String,
}

impl Name {
    /// `raw` must hold the whole header.
    pub fn of(at: Timestamp, raw: &Raw<'_>) -> Self {
        Self {
            at,
            size: u32::try_from(raw.size).unwrap_or(u32::MAX),
            digest: raw.id().as_str().to_owned(),
        }
    }

    /// For a mail that is appended to a server.
    pub fn of_whole(at: Timestamp, bytes: &[u8]) -> Self {
        Self::of(at, &Raw::whole(bytes, at))
    }

    /// `None` if it isn't a valid id.
    pub fn read(id: &MailId) -> Option<Self> {
        let mut parts = id.as_str().split('-');
        let (at, size, digest) = (parts.next()?, parts.next()?, parts.next()?);
        let name = Self {
            at: Timestamp::from_second(i64::from_str_radix(at, 16).ok()?).ok()?,
            size: u32::from_str_radix(size, 16).ok()?,
            digest: digest.to_owned(),
        };
        // Other spellings would be further ids of the same mail.
        (name.id() == *id).then_some(name)
    }

    pub fn id(&self) -> MailId {
        let (at, size) = (self.at.as_second(), self.size);
        format!("{at:x}-{size:x}-{}", self.digest).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_written_in_one_way() {
        let raw = Raw::whole(b"Subject: x\r\n\r\n", Timestamp::UNIX_EPOCH);
        let name = Name::of("2026-11-20T09:30:00Z".parse().unwrap(), &raw);
        assert_eq!(Name::read(&name.id()), Some(name.clone()));
        let id = name.id();
        for wrong in [
            format!("0{id}"),
            format!("{id}-1"),
            id.as_str().to_uppercase(),
            "nowhere".into(),
            "--".into(),
            String::new(),
        ] {
            assert_eq!(Name::read(&wrong.clone().into()), None, "{wrong}");
        }
    }
}
