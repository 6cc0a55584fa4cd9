//! What a person does to a tab and sees of it: keys, the window, and whether everybody can use it.

use base64::Engine;
use serde_json::{Value, json};

use crate::chromium::Tab;
use crate::npm;
use crate::tools::{installed, target_dir};

const AXE: &str = "axe-core";
const AXE_VERSION: &str = "4.14.1";
const AXE_ARCHIVE: &str = "e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745";

const FUNCTIONS: &str = include_str!("tab.js");

fn script(function: &str, text: &str) -> String {
    let text = json!(text);
    format!("(() => {{ {FUNCTIONS} return {function}({text}); }})()")
}

impl Tab {
    pub fn press(&self, key: &str) {
        self.stroke(key, 0);
    }

    pub fn press_with_shift(&self, key: &str) {
        self.stroke(key, 8);
    }

    pub fn types(&self, text: &str) {
        for letter in text.chars() {
            self.key("keyDown", &json!({"key": letter, "text": letter}));
            self.key("keyUp", &json!({"key": letter}));
        }
    }

    fn stroke(&self, key: &str, modifiers: u8) {
        let (code, text) = match key {
            "Backspace" => (8, None),
            "Tab" => (9, None),
            "Enter" => (13, Some("\r")),
            "Escape" => (27, None),
            "ArrowLeft" => (37, None),
            "ArrowRight" => (39, None),
            "ArrowDown" => (40, None),
            other => panic!("no test has pressed {other} yet: give its code here"),
        };
        let mut event =
            json!({"key": key, "code": key, "modifiers": modifiers, "windowsVirtualKeyCode": code});
        if let Some(text) = text {
            event["text"] = text.into();
        }
        self.key("keyDown", &event);
        self.key("keyUp", &event);
    }

    fn key(&self, kind: &str, event: &Value) {
        let mut event = event.clone();
        event["type"] = kind.into();
        self.call("Input.dispatchKeyEvent", &event);
    }

    /// Gives the window this size in CSS pixels; up to 500 wide it is a phone, with a finger for a mouse from then on.
    pub fn resize(&self, width: u32, height: u32) {
        let phone = width <= 500;
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone});
        self.call("Emulation.setDeviceMetricsOverride", &size);
        if phone {
            let touch = json!({"enabled": true});
            self.call("Emulation.setTouchEmulationEnabled", &touch);
        }
    }

    /// Asks pages for their dark colours, or their light ones.
    pub fn darken(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": value}]});
        self.call("Emulation.setEmulatedMedia", &media);
    }

    /// What axe-core finds that keeps people from using the page as it is now, a line each.
    pub fn violations(&self) -> Vec<String> {
        if self.eval("typeof axe") == "undefined" {
            self.eval(&format!("{}; 0", axe()));
        }
        serde_json::from_value(self.eval(&script("violations", ""))).unwrap()
    }

    /// Writes into the conversation of the page.
    pub fn writes(&self, text: &str) {
        self.eval(&script("writes", text));
    }

    pub fn shows(&self, text: &str) {
        self.until(&script("shows", text));
    }

    /// Clicks the last button with these words, once there is one to be seen.
    pub fn clicks(&self, words: &str) {
        self.until(&script("clicks", words));
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

fn axe() -> String {
    let home = installed(&format!("{AXE}-{AXE_VERSION}"), |installation| {
        npm::package(AXE, AXE_VERSION, AXE_ARCHIVE, installation);
    });
    std::fs::read_to_string(home.join("package/axe.min.js")).unwrap()
}

#[cfg(test)]
mod tests {
    use crate::chromium::Chromium;

    #[test]
    fn what_keeps_people_out_is_found() {
        let tab = Chromium::start().open("data:text/html,<html lang=en><title>t</title><main><h1>h</h1><img src=x><input></main>");
        let found = tab.violations().join("\n");
        let both = found.contains("image-alt") && found.contains("label");
        assert!(both, "{found}");
    }
}
