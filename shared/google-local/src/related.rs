//! JSON with a file in one request: `multipart/related` of exactly these two parts (RFC 2387), as uploads have it
//! (<https://developers.google.com/workspace/gmail/api/guides/uploads#multipart>).

use axum::body::Bytes;

/// The JSON, and the file behind it; `None` for what isn't of this form.
pub(crate) fn parts(content_type: &str, body: &Bytes) -> Option<[Bytes; 2]> {
    let (kind, parameters) = content_type.split_once(';')?;
    let boundary = parameters.trim().strip_prefix("boundary=")?;
    let boundary = boundary.trim_matches('"');
    if !kind.eq_ignore_ascii_case("multipart/related") || boundary.is_empty() {
        return None;
    }
    let between = format!("\r\n--{boundary}\r\n");
    let end = format!("\r\n--{boundary}--");
    let first = body.strip_prefix(between.trim_start().as_bytes())?;
    let first = body.slice_ref(first);
    let at = find(&first, between.as_bytes())?;
    let second = first.slice(at + between.len()..);
    let second = second.slice_ref(second.trim_ascii_end().strip_suffix(end.as_bytes())?);
    let json = content(&first.slice(..at), "application/json")?;
    Some([json, content(&second, "")?])
}

/// What is in a part of this type; of any that it names, where none is wanted.
fn content(part: &Bytes, wanted: &str) -> Option<Bytes> {
    let at = find(part, b"\r\n\r\n")?;
    let headers = std::str::from_utf8(&part[..at]).ok()?.to_lowercase();
    let mut kinds = headers
        .lines()
        .filter_map(|line| line.strip_prefix("content-type:"));
    let kind = kinds.next()?.trim();
    kind.starts_with(wanted).then(|| part.slice(at + 4..))
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}
