//! What a person does with the page's conversation: write, and see.

use alfred_testkit::chromium::Tab;
use base64::Engine;
use serde_json::json;
use std::path::Path;

/// A tab that shows the page.
pub trait Conversation {
    /// Writes into the page's box, and presses Enter.
    fn writes(&self, text: &str);
    /// Waits until it stands among the messages.
    fn shows(&self, text: &str);
    /// Clicks the last button with these words, once there is one to be seen.
    fn clicks(&self, words: &str);
    /// Leaves a picture of what is seen in `target/tmp`.
    fn pictured(&self, name: &str);
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

    fn clicks(&self, words: &str) {
        let words = json!(words);
        self.until(&format!(
            "(() => {{
               const fits = (one) => one.checkVisibility() && (one.innerText.trim().endsWith({words}) || one.ariaLabel === {words});
               const found = [...document.querySelectorAll('button')].findLast(fits);
               found?.click();
               return found !== undefined;
             }})()"
        ));
    }

    fn pictured(&self, name: &str) {
        let shot = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        let png = base64::prelude::BASE64_STANDARD.decode(shot["data"].as_str().unwrap());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(folder.join(format!("{name}.png")), png.unwrap()).unwrap();
    }
}
