//! The page in a real browser: names, focus, tab stops, dark mode, phone size.

use alfred_slack_local::seed::{ANA, GENERAL};
use alfred_testkit::chromium::{Chromium, Tab};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::local::cli::Cli;
use crate::local::process::Serving;

const BOX: &str = "composer-text";
const LIST: &str = "document.getElementById('composer-text-names')";

struct Desk {
    serving: Serving,
    tab: Tab,
    _cli: Cli,
}

impl Desk {
    async fn new() -> Self {
        let cli = Cli::new();
        let serving = cli.serve().await;
        let tab = Chromium::start().open(&serving.link);
        tab.resize(1_280, 860);
        tab.until("!document.getElementById('prompts').hidden");
        Self {
            serving,
            tab,
            _cli: cli,
        }
    }

    fn clicks(&self, words: &str) {
        self.tab.clicks(words);
    }

    fn goes_to(&self, name: &str) {
        self.clicks(name);
        let name = json!(name);
        self.tab.until(&format!(
            "document.getElementById('channel-name').textContent.endsWith({name})"
        ));
        self.tab
            .until("document.querySelector('#prompts > div, #message-list > div') !== null");
    }

    fn focus(&self) -> Value {
        self.tab
            .eval("document.activeElement.id || document.activeElement.innerText")
    }

    fn written(&self) -> Value {
        self.tab
            .eval(&format!("document.getElementById('{BOX}').value"))
    }

    /// One line per suggestion; empty if there is no list.
    fn suggested(&self) -> String {
        let lines = self.tab.eval(&format!(
            "{LIST}.hidden ? '' : [...{LIST}.children].map((one) => one.innerText.replaceAll('\\n', ' ')).join('\\n')"
        ));
        lines.as_str().unwrap().to_owned()
    }

    fn sees(&self, words: &str) {
        let words = json!(words);
        self.tab.until(&format!(
            "document.getElementById('message-list').innerText.includes({words})"
        ));
    }

    /// No accessibility violations in light and dark mode.
    fn is_for_everybody(&self, what: &str) {
        for dark in [false, true] {
            self.tab.darken(dark);
            let found = self.tab.violations();
            assert!(found.is_empty(), "{what}, dark {dark}: {found:#?}");
        }
        self.tab.darken(false);
    }

    fn stops(&self) -> Value {
        self.tab.eval(
            "[...document.querySelectorAll('#message-list .message')].map((row) =>
               [...row.querySelectorAll('a, button')].filter((one) => one.tabIndex === 0).length)",
        )
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_are_completed_and_count_in_any_case() {
    let desk = Desk::new().await;
    let tab = &desk.tab;
    desk.goes_to("general");
    tab.types("@A");
    assert_snapshot!(desk.suggested(), @"
    A @alfred Alfred
    AM @ana Ana Marques
    ");
    tab.press("ArrowDown");
    tab.press("Enter");
    assert_eq!(desk.written(), "@ana ");
    tab.types("and #mar");
    assert_snapshot!(desk.suggested(), @"#marketing");
    tab.press("Tab");
    assert_eq!(desk.written(), "@ana and #marketing ");
    tab.types("(@ben");
    assert_eq!(desk.suggested(), "", "it stands there whole");
    tab.types("x");
    assert_eq!(desk.suggested(), "");
    tab.eval(&format!("document.getElementById('{BOX}').value = ''"));
    tab.types("/");
    assert_snapshot!(desk.suggested(), @"/alfred a request, or stop, run TOOL");
    tab.press("Escape");
    assert_eq!(desk.suggested(), "");
    tab.press("Backspace");
    tab.types("@ALFRED what time is it in Tokyo?");
    tab.press("Enter");
    desk.sees("1 reply");
    let page = desk
        .serving
        .get(&format!("/client/messages?channel={GENERAL}"))
        .await;
    assert_eq!(
        page["messages"][0]["text"],
        "<@U0ALFRED01> what time is it in Tokyo?"
    );
    // Slack takes no commands in a thread.
    tab.eval("document.querySelector('.replies').click()");
    tab.until("document.activeElement.id === 'thread-composer-text'");
    let offers = "!document.getElementById('thread-composer-text-names').hidden";
    tab.types("/");
    assert_eq!(tab.eval(offers), false);
    tab.press("Backspace");
    tab.types("@c");
    assert_eq!(tab.eval(offers), true);
    desk.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_box_has_the_focus_and_what_is_dismissed_stays_away() {
    let desk = Desk::new().await;
    let tab = &desk.tab;
    assert_eq!(desk.focus(), BOX);
    desk.clicks("Dismiss");
    assert_eq!(desk.focus(), BOX);
    let banner = "document.getElementById('banner').checkVisibility()";
    assert_eq!(tab.eval(banner), false);
    tab.go(&desk.serving.address);
    tab.until("!document.getElementById('prompts').hidden");
    assert_eq!(tab.eval(banner), false);
    assert_eq!(desk.focus(), BOX);
    desk.clicks("What's on this week?");
    desk.sees("Your week");
    assert_eq!(desk.focus(), BOX);
    // The clicked element may vanish with the focus; the next letter still goes to the box.
    tab.eval("document.activeElement.blur()");
    tab.types("hi");
    assert_eq!(desk.written(), "hi");
    desk.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_is_one_tab_stop() {
    let desk = Desk::new().await;
    let tab = &desk.tab;
    tab.types("plan my day for 2031-03-03");
    tab.press("Enter");
    desk.sees("View full");
    assert_eq!(desk.stops(), json!([1, 1]));
    tab.press_with_shift("Tab");
    let mut seen = vec![desk.focus()];
    for _ in 0..5 {
        tab.press("ArrowRight");
        seen.push(desk.focus());
    }
    tab.press("ArrowLeft");
    seen.push(desk.focus());
    assert_eq!(
        json!(seen),
        json!([
            "Approve",
            "Modify",
            "Cancel",
            "View full",
            "Reply in thread",
            "Approve",
            "Reply in thread"
        ])
    );
    assert_eq!(desk.stops(), json!([1, 1]));
    tab.press_with_shift("Tab");
    assert_eq!(desk.focus(), "Reply in thread", "of the message above");
    tab.press("Tab");
    assert_eq!(desk.focus(), "Reply in thread", "where one was");
    tab.press("Tab");
    assert_eq!(desk.focus(), BOX);
    desk.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_conversation_says_what_to_do() {
    let desk = Desk::new().await;
    let words = || {
        let words = desk
            .tab
            .eval("document.getElementById('prompts').innerText");
        words.as_str().unwrap().replace("\n\n", "\n")
    };
    let mut said = words();
    for channel in ["marketing", "random"] {
        desk.goes_to(channel);
        desk.tab.until(&format!(
            "document.getElementById('prompts').innerText.includes('{channel}')"
        ));
        said += &format!("\n\n{}", words());
    }
    assert_snapshot!(said, @"
    Hello Ana, what can I do for you?
    Plan my day
    Triage my mail
    What's on this week?
    Add a task: call the bank, 20 minutes, due Friday

    Nobody has written in #marketing yet
    Write @Alfred and what you want. The answer comes as a thread, for everybody here to read.
    @Alfred what time is it in Tokyo?

    Nobody has written in #random yet
    Alfred isn't in this channel and doesn't read it. Ask in a direct message, or in a channel that has Alfred in it.
    ");
    desk.goes_to("marketing");
    desk.clicks("@Alfred what time is it in Tokyo?");
    desk.sees("1 reply");
    assert_eq!(words(), "");
    desk.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_can_use_the_page() {
    let desk = Desk::new().await;
    let tab = &desk.tab;
    desk.is_for_everybody("the beginning");
    for request in ["What's on this week?", "plan my day for 2031-03-03"] {
        let said = json!({"user": ANA, "text": request});
        assert_eq!(desk.serving.post("/client/post", &said).await.status(), 200);
    }
    desk.sees("View full");
    tab.until("document.querySelector('.picture img')?.naturalWidth > 0");
    desk.is_for_everybody("a picture and a card");
    tab.types("@");
    desk.is_for_everybody("a list of names");
    tab.press("Escape");
    desk.clicks("Modify");
    tab.until("document.getElementById('modal').open");
    desk.is_for_everybody("a form");
    tab.press("Escape");
    tab.until("!document.getElementById('modal').open");
    desk.clicks("Reply in thread");
    tab.until("document.querySelector('#thread-list .message') !== null");
    desk.is_for_everybody("a thread");
    desk.goes_to("random");
    desk.is_for_everybody("an empty channel");

    tab.resize(390, 844);
    desk.is_for_everybody("an empty channel on a phone");
    desk.clicks("Open the menu");
    desk.is_for_everybody("the menu of a phone");
    desk.clicks("Alfred");
    desk.sees("View full");
    desk.is_for_everybody("a picture and a card on a phone");
    desk.serving.kill().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_week_is_readable_in_the_dark_and_on_a_phone() {
    let desk = Desk::new().await;
    let tab = &desk.tab;
    desk.clicks("What's on this week?");
    tab.until("document.querySelector('.picture img')?.naturalWidth > 0");
    let paper = "getComputedStyle(document.querySelector('.picture img')).filter";
    assert_eq!(tab.eval(paper), "none");
    tab.darken(true);
    assert_eq!(tab.eval(paper), "invert(0.9) hue-rotate(180deg)");
    tab.resize(390, 844);
    // The picture's smallest letters are 12 of 1,180 pixels high.
    let letters = "document.querySelector('.picture img').clientWidth * 12 / 1180";
    assert!(tab.eval(letters).as_f64().unwrap() > 9.0);
    let scrolls = "(() => { const box = document.querySelector('.image'); box.scrollLeft = 9999; return box.scrollLeft > 500; })()";
    assert_eq!(tab.eval(scrolls), true);
    let sideways = "document.scrollingElement.scrollWidth > innerWidth || document.getElementById('messages').scrollWidth > innerWidth";
    assert_eq!(tab.eval(sideways), false, "the page itself stays");
    desk.serving.kill().await;
}
