//! What a person does with the page's conversation: write, and see.

use base64::Engine;
use serde_json::json;

use crate::chromium::Tab;
use crate::tools::target_dir;

/// On a tab that shows the page.
impl Tab {
    pub fn writes(&self, text: &str) {
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

    pub fn shows(&self, text: &str) {
        let text = json!(text);
        self.until(&format!(
            "document.getElementById('message-list').innerText.includes({text})"
        ));
    }

    /// Clicks the last button with these words, once there is one to be seen.
    pub fn clicks(&self, words: &str) {
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

    /// Leaves a picture of what is seen in `target/tmp`.
    pub fn pictured(&self, name: &str) {
        let shot = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        let png = base64::prelude::BASE64_STANDARD.decode(shot["data"].as_str().unwrap());
        let folder = target_dir().join("tmp");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.png")), png.unwrap()).unwrap();
    }
}
