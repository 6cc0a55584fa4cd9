//! What a mail is called.

use alfred_core::id::MailId;
use alfred_mime::Raw;
use jiff::Timestamp;

/// What stays as it is wherever a mail is moved (RFC 3501, 6.4.7 wants flags and the internal date kept).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    /// When it arrived, in whole seconds.
    pub at: Timestamp,
    /// Its size in bytes.
    pub size: u32,
    /// Of its header.
    digest: String,
}

impl Name {
    /// Of a mail of which all of the header is here.
    pub fn of(at: Timestamp, raw: &Raw<'_>) -> Self {
        Self {
            at,
            size: u32::try_from(raw.size).unwrap_or(u32::MAX),
            digest: raw.id().as_str().to_owned(),
        }
    }

    /// Of a mail that is given to a server, as it will be there.
    pub fn of_whole(at: Timestamp, bytes: &[u8]) -> Self {
        Self::of(
            at,
            &Raw {
                bytes,
                whole: true,
                size: bytes.len() as u64,
                modified: at,
            },
        )
    }

    /// `None` for what was never one.
    pub fn read(id: &MailId) -> Option<Self> {
        let mut parts = id.as_str().split('-');
        let (at, size, digest) = (parts.next()?, parts.next()?, parts.next()?);
        let name = Self {
            at: Timestamp::from_second(i64::from_str_radix(at, 16).ok()?).ok()?,
            size: u32::from_str_radix(size, 16).ok()?,
            digest: digest.to_owned(),
        };
        // Written otherwise it would be another id of the same mail.
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
        let raw = Raw {
            bytes: b"Subject: x\r\n\r\n",
            whole: true,
            size: 14,
            modified: Timestamp::UNIX_EPOCH,
        };
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
