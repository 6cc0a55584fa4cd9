//! The owner reads each card, opens its full view, and approves it if the file says so.

use alfred_agent::model::Approval;
use alfred_core::ports::Post;
use alfred_testkit::Kept;
use serde_json::Value;

use super::card::{buttons, lines, lines_of, strings, unescaped};
use super::scene::{OWNER, Scene};
use super::slack;
use crate::in_memory::approvals::waiting;

pub struct Look {
    pub approval: Approval,
    pub card: Vec<Kept>,
    pub full: String,
    pub approved: bool,
}

impl Look {
    pub fn key(&self) -> String {
        format!("{}:{}", self.approval.run, self.approval.call_id)
    }

    pub fn is_triage(&self) -> bool {
        self.approval.action_type == "workflow_fillEmailBlock"
    }

    pub fn on_card(&self) -> String {
        let lines = self.card.iter().flat_map(lines);
        let texts = lines.map(|line| line.text);
        texts.collect::<Vec<_>>().join("\n")
    }

    pub fn shown(&self) -> String {
        format!("{}\n{}", self.on_card(), self.full)
    }
}

impl Scene {
    /// Looks at every waiting card. With `approve`, approves each one and those that follow.
    pub async fn look_at_cards(&mut self, approve: bool) {
        loop {
            let waiting = waiting(&self.world).await.into_iter();
            let is_new = |approval: &Approval| {
                let same = |look: &Look| {
                    look.approval.id == approval.id && look.approval.revision == approval.revision
                };
                !self.looks.iter().any(same)
            };
            let new: Vec<Approval> = waiting.filter(is_new).collect();
            if new.is_empty() {
                return;
            }
            for approval in new {
                let card = self.card(&approval);
                let full = self.whole(&card).await;
                let approved = approve && self.press(&card, "approve").await;
                self.looks.push(Look {
                    approval,
                    card,
                    full,
                    approved,
                });
            }
        }
    }

    /// Messages that name the approval, by their key or in a button.
    fn card(&self, approval: &Approval) -> Vec<Kept> {
        let id = approval.id.as_str();
        let mut posted = self.world.chat.posted();
        posted.retain(|kept| {
            let key = kept.idempotency_key.as_deref().unwrap_or_default();
            let mut buttons = buttons(&kept.blocks).into_iter();
            key.contains(id) || buttons.any(|button| button.to_string().contains(id))
        });
        posted
    }

    /// Presses the button for the full view; returns the private messages or modal it opens.
    async fn whole(&mut self, card: &[Kept]) -> String {
        let before = self.said();
        if !self.press(card, "full").await {
            return String::new();
        }
        let said = self.said().into_iter().zip(before);
        let new = said.flat_map(|(now, before)| now.into_iter().skip(before.len()));
        new.collect()
    }

    /// All private messages, messages and modals so far.
    fn said(&self) -> [Vec<String>; 3] {
        let chat = &self.world.chat;
        let whispers = chat.ephemerals().into_iter();
        let whispered = |post: &Post| {
            let lines = lines_of(&post.blocks).into_iter();
            lines.map(|line| line.text).collect::<String>()
        };
        let whispers = whispers.map(|(_, post)| whispered(&post)).collect();
        let words = |kept: &Kept| lines(kept).into_iter().map(|line| line.text).collect();
        let messages = chat.posted().iter().map(words).collect();
        let views = (1..).map_while(|n| chat.view(&format!("V{n}")));
        let words = |view: Value| strings(&view).into_iter().map(unescaped).collect();
        [whispers, messages, views.map(words).collect()]
    }

    /// Presses the first button whose action contains the word. Returns false if there is none.
    async fn press(&mut self, card: &[Kept], word: &str) -> bool {
        let pressed = card.iter().find_map(|kept| {
            let named = |button: &&Value| {
                let action = button["action_id"].as_str();
                action.is_some_and(|action| action.contains(word))
            };
            let button = buttons(&kept.blocks).into_iter().find(named)?;
            Some((kept, button.clone()))
        });
        let Some((kept, button)) = pressed else {
            return false;
        };
        slack::click(&self.world, OWNER, kept, &button).await;
        self.world.drain().await;
        true
    }
}
