//! Ana's direct message on the page: `says WORDS`, `clicks BUTTON`, and `unticks` for the first box of the form that is
//! open. `sees WORDS` waits for a message with these words, and shows what came up to it. `picture` loads the last one.

use alfred_slack_local::seed::{ANA, ANA_DM};
use alfred_testkit::{LIMIT, eventually};
use alfred_tests::seen;
use serde_json::{Value, json};

use super::Shell;

impl Shell {
    pub async fn on_the_page(&mut self, verb: &str, rest: &str) -> String {
        match verb {
            "says" => self.posts("post", json!({"text": rest})).await,
            "clicks" => {
                let (ts, action) = self.button(rest).await;
                let click = json!({"channel": ANA_DM, "ts": ts, "action_id": action});
                self.posts("click", click).await
            }
            "unticks" => self.unticks().await,
            "picture" => self.picture().await,
            _ => self.sees(rest).await,
        }
    }

    async fn posts(&self, what: &str, mut body: Value) -> String {
        body["user"] = ANA.into();
        let serving = self.serving.as_ref().unwrap();
        let answer = serving.post(&format!("/client/{what}"), &body).await;
        assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
        String::new()
    }

    async fn messages(&self) -> Vec<Value> {
        let serving = self.serving.as_ref().unwrap();
        let page = format!("/client/messages?channel={ANA_DM}");
        let page = serving.get(&page).await;
        page["messages"].as_array().unwrap().clone()
    }

    async fn sees(&mut self, words: &str) -> String {
        let shown = eventually(LIMIT, words, async || {
            let texts: Vec<String> = self.messages().await.iter().map(text).collect();
            let new = texts.get(self.seen..)?;
            let at = new.iter().position(|text| text.contains(words))?;
            Some(new[..=at].to_vec())
        });
        let shown = shown.await;
        self.seen += shown.len();
        shown.join("\n")
    }

    /// The first letters of the last picture's file.
    async fn picture(&self) -> String {
        let messages = self.messages().await;
        let blocks = messages.iter();
        let blocks = blocks.filter_map(|message| message["blocks"].as_array());
        let mut images = blocks.flatten().filter(|block| block["type"] == "image");
        let image = images.next_back().expect("a picture");
        let id = image["slack_file"]["id"].as_str().unwrap();
        let serving = self.serving.as_ref().unwrap();
        let file = format!("/client/file?user={ANA}&file={id}");
        let bytes = serving.bytes(&file).await;
        String::from_utf8_lossy(&bytes[1..4]).into_owned()
    }

    /// The last message with this button, and the button's action.
    async fn button(&self, label: &str) -> (Value, Value) {
        let messages = self.messages().await;
        let found = messages.iter().rev().find_map(|message| {
            let blocks = message["blocks"].as_array()?.iter();
            let mut elements = blocks.filter_map(|block| block["elements"].as_array());
            let is = |element: &&Value| element["text"]["text"] == label;
            let button = elements.find_map(|elements| elements.iter().find(is))?;
            Some((message["ts"].clone(), button["action_id"].clone()))
        });
        found.unwrap_or_else(|| panic!("no button {label}: {messages:#?}"))
    }

    async fn unticks(&self) -> String {
        let serving = self.serving.as_ref().unwrap();
        let screen = format!("/client/screen?user={ANA}");
        let (view, block) = eventually(LIMIT, "a form with boxes", async || {
            let screen = serving.get(&screen).await;
            let view = screen["views"].as_array().unwrap().last().cloned()?;
            let blocks = [&view["view"]["blocks"], &view["blocks"]];
            let mut blocks = blocks.into_iter().filter_map(Value::as_array).flatten();
            let block = blocks.find(|block| block["element"]["type"] == "checkboxes");
            Some((view.clone(), block?.clone()))
        })
        .await;
        let element = &block["element"];
        let options = element["options"].as_array().unwrap().iter();
        let ticked: Vec<&Value> = options.skip(1).map(|option| &option["value"]).collect();
        let ids = [&block["block_id"], &element["action_id"]].map(|id| id.as_str().unwrap());
        let values = json!({ids[0]: {ids[1]: ticked}});
        let form = json!({"view_id": view["id"], "values": values});
        self.posts("view/submit", form).await
    }
}

fn text(message: &Value) -> String {
    let blocks = message["blocks"].as_array().cloned().unwrap_or_default();
    let text = seen(message["text"].as_str().unwrap_or_default(), &blocks);
    let is_ana = message["bot_id"].is_null();
    let author = if is_ana { "Ana: " } else { "" };
    format!("{author}{text}")
}
