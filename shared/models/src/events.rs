//! Parses server-sent events
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>). Each byte is read once,
//! however the stream is split, since a line may be as long as an answer. Only `data` fields are read.

#[derive(Default)]
pub(super) struct Events {
    line: Vec<u8>,
    /// Data lines of the unfinished event, each with its line feed.
    data: Vec<u8>,
    after_return: bool,
}

impl Events {
    /// The data of the events that end in these bytes, in order, without empty ones.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut ended = Vec::new();
        for &byte in bytes {
            let after_return = std::mem::replace(&mut self.after_return, byte == b'\r');
            match byte {
                // The rest of a line end.
                b'\n' if after_return => {}
                b'\n' | b'\r' => ended.extend(self.end_line()),
                _ => self.line.push(byte),
            }
        }
        ended
    }

    /// Processes a line. Returns the event's data if the line ended an event.
    fn end_line(&mut self) -> Option<Vec<u8>> {
        if self.line.is_empty() {
            let mut data = std::mem::take(&mut self.data);
            data.pop();
            return Some(data).filter(|data| !data.is_empty());
        }
        let unmarked = self.line.strip_prefix(b"\xEF\xBB\xBF");
        let line = unmarked.unwrap_or(&self.line);
        if let Some(value) = line.strip_prefix(b"data:") {
            let value = value.strip_prefix(b" ").unwrap_or(value);
            self.data.extend_from_slice(value);
            self.data.push(b'\n');
        }
        self.line.clear();
        None
    }
}
