use std::collections::BTreeMap;

/// Letters of an id after its prefix.
const ID_LETTERS: usize = 32;

/// Shows ids by their number, such as `apr_1`, so that a recording is the same each time.
#[derive(Default)]
pub struct Ids {
    /// In the order in which they were seen, by prefix.
    seen: BTreeMap<String, Vec<String>>,
}

impl Ids {
    /// A text with numbers for ids.
    pub fn masked(&mut self, text: &str) -> String {
        let mut parts = text.split('_');
        let mut masked = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            masked.push('_');
            let hex = part.bytes().take_while(u8::is_ascii_hexdigit).count();
            if hex == ID_LETTERS {
                let before = masked.trim_end_matches('_').bytes().rev();
                let letters = before.take_while(u8::is_ascii_lowercase).count();
                let end = masked.len() - 1;
                let prefix = masked[end - letters..end].to_owned();
                masked += &self.number(&prefix, &part[..hex]).to_string();
                masked += &part[hex..];
            } else {
                masked += part;
            }
        }
        masked
    }

    /// The number of an id among those of its kind.
    pub fn number(&mut self, kind: &str, id: &str) -> usize {
        let known = self.seen.entry(kind.to_owned()).or_default();
        if !known.iter().any(|one| one == id) {
            known.push(id.to_owned());
        }
        known.iter().position(|one| one == id).unwrap() + 1
    }

    /// A text with ids for their numbers.
    pub fn unmask(&self, text: &str) -> String {
        let mut whole = text.to_owned();
        for (prefix, ids) in &self.seen {
            for (number, id) in ids.iter().enumerate().rev() {
                let shown = format!("{prefix}_{}", number + 1);
                whole = whole.replace(&shown, &format!("{prefix}_{id}"));
            }
        }
        whole
    }
}
