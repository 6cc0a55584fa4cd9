//! What a person does with the page's conversation: write, and see.

use alfred_testkit::chromium::Tab;
use serde_json::json;

/// A tab that shows the page.
pub trait Conversation {
    /// Writes into the page's box, and presses Enter.
    fn writes(&self, text: &str);
    /// Waits until it stands among the messages.
    fn shows(&self, text: &str);
}

impl Conversation for Tab {
    fn writes(&self, text: &str) {
        let text = json!(text);
        self.eval(&format!(
            "(() => {{
               const box = document.getElementById('composer-text');
               box.value = {text};
               box.dispatchEvent(new Event('input'));
               box.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true, cancelable: true }}));
             }})()"
        ));
    }

    fn shows(&self, text: &str) {
        let text = json!(text);
        self.until(&format!(
            "document.getElementById('message-list').innerText.includes({text})"
        ));
    }
}
