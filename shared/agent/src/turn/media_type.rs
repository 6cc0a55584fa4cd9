/// Detects the media type from the first bytes, not from the name. `None` for types that no model accepts.
pub(crate) fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        [b'%', b'P', b'D', b'F', b'-', ..] => Some("application/pdf"),
        _ if bytes.contains(&0) || std::str::from_utf8(bytes).is_err() => None,
        _ => Some("text/plain"),
    }
}

/// A claimed media type if it is well-formed (RFC 2045 §5.1), else `application/octet-stream`.
pub(crate) fn claimed(media_type: &str) -> &str {
    let kinds = [
        "application",
        "audio",
        "font",
        "image",
        "model",
        "text",
        "video",
    ];
    let is_token = |part: &str| {
        let fits = |c: char| c.is_ascii_alphanumeric() || "!#$&-^_.+".contains(c);
        !part.is_empty() && part.chars().all(fits)
    };
    match media_type.split_once('/') {
        Some((kind, of)) if kinds.contains(&kind) && is_token(of) => media_type,
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_is_stands_in_it() {
        for (bytes, is) in [
            (&b"\x89PNG\r\n\x1a\n"[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF89a", Some("image/gif")),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Some("image/webp")),
            (b"RIFF\x10\0\0\0WAVEfmt ", None),
            (b"%PDF-1.7", Some("application/pdf")),
            ("a;b\nä;1".as_bytes(), Some("text/plain")),
            (b"", Some("text/plain")),
            (b"PK\x03\x04\0\0", None),
            (b"\xe4;1", None),
        ] {
            assert_eq!(media_type(bytes), is, "{bytes:?}");
        }
    }

    #[test]
    fn a_claim_is_no_header_and_no_mail_within_the_mail() {
        let word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
        let any = "application/octet-stream";
        for (said, is) in [
            (word, word),
            ("video/mp4", "video/mp4"),
            ("", any),
            ("text/", any),
            ("text/csv; name=x", any),
            ("text/csv\r\nBcc: eve@evil.example", any),
            ("multipart/mixed", any),
            ("message/rfc822", any),
        ] {
            assert_eq!(claimed(said), is);
        }
    }
}
