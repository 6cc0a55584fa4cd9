//! What a plan follows of earlier days and words. What was said of this plan, and
//! what the person set as a preference, comes before all of it.

use alfred_agent::tool::{ToolContext, ToolError};
use alfred_core::text;
use alfred_planner::patterns::What;
use alfred_planner::{Habits, Topic, Wish, parse_feedback};
use alfred_tools::system::remarks::{self, Remark};
use jiff::SignedDuration;

use crate::habits::{self, Habit};
use crate::toolset::Toolset;

/// How long what was said of plans is followed.
const FOLLOWED: SignedDuration = SignedDuration::from_hours(24 * 180);
/// Remarks that are looked at, the newest.
const REMARKS: usize = 50;

/// What is followed, and how the card says so.
pub(super) struct Earlier {
    /// How the day is by preferences, and where nobody set them by other days.
    pub habits: Habits,
    /// What was said before.
    pub wishes: Vec<Wish>,
    pub lines: Vec<String>,
}

/// What stands already, and isn't changed by habits.
pub(super) struct Given<'a> {
    /// What is wanted of this very plan.
    pub heard: &'a [Wish],
    /// Preferences that the person set, by their names.
    pub set: &'a [String],
    /// How the day is by preferences.
    pub habits: &'a Habits,
}

impl Given<'_> {
    /// Whether something else has the say about what a wish is about.
    fn decides(&self, wish: &Wish) -> bool {
        let Some(topic) = wish.topic() else {
            return self.heard.contains(wish);
        };
        let no_lunch = topic == Topic::Lunch && self.habits.lunch_length == 0;
        let heard = self.heard.iter().any(|heard| heard.topic() == Some(topic));
        let preference = topic.preference();
        no_lunch || heard || preference.is_some_and(|name| self.set.iter().any(|set| set == name))
    }
}

pub(super) async fn earlier(
    tools: &Toolset,
    context: &ToolContext,
    given: &Given<'_>,
) -> Result<Earlier, ToolError> {
    let known = habits::about(tools, context, &["days", "feedback"]).await?;
    let said = said(context, given).await?;
    let mut followed = Earlier {
        habits: given.habits.clone(),
        wishes: Vec::new(),
        lines: Vec::new(),
    };
    for habit in &known {
        followed.ask(habit, given, &said);
    }
    let new: Vec<Wish> = said
        .into_iter()
        .filter(|wish| !followed.wishes.contains(wish))
        .collect();
    if !new.is_empty() {
        let words: Vec<String> = new.iter().map(ToString::to_string).collect();
        followed.lines.push(text::from_earlier_feedback(&words));
        followed.wishes.extend(new);
    }
    for habit in &known {
        followed.imitate(habit, given);
    }
    Ok(followed)
}

impl Earlier {
    /// What is asked for again and again, unless something else was said last.
    fn ask(&mut self, habit: &Habit, given: &Given<'_>, said: &[Wish]) {
        let What::Asked(wish) = &habit.what else {
            return;
        };
        let other = |said: &Wish| said.topic() == wish.topic() && said != wish;
        if !given.decides(wish) && !said.iter().any(other) {
            let line = text::asked_before(&wish.to_string(), habit.agree, habit.of);
            self.lines.push(line);
            self.wishes.push(wish.clone());
        }
    }

    /// What is so on most days, unless somebody said how it is to be.
    fn imitate(&mut self, habit: &Habit, given: &Given<'_>) {
        let wish = match &habit.what {
            What::LunchAt(time) if *time != self.habits.lunch => Wish::LunchAt(*time),
            What::FocusLength(minutes) if *minutes != self.habits.focus => {
                Wish::FocusLength(*minutes)
            }
            _ => return,
        };
        let asked = self
            .wishes
            .iter()
            .any(|asked| asked.topic() == wish.topic());
        if given.decides(&wish) || asked {
            return;
        }
        let line = text::as_on_other_days(&wish.to_string(), habit.agree, habit.of);
        match wish {
            Wish::LunchAt(time) => self.habits.lunch = time,
            Wish::FocusLength(minutes) => self.habits.focus = minutes,
            _ => return,
        }
        self.lines.push(line);
    }
}

/// What was said of plans, the last about each thing. What other people's words may have
/// shaped is not followed.
async fn said(context: &ToolContext, given: &Given<'_>) -> Result<Vec<Wish>, ToolError> {
    let since = context.now.saturating_sub(FOLLOWED).unwrap_or(context.now);
    let remarks = remarks::since(context, since, REMARKS).await?;
    let mut wishes: Vec<Wish> = Vec::new();
    for remark in remarks.iter().filter(|remark| Remark::asks_of_days(remark)) {
        for wish in parse_feedback(&remark.message).wishes {
            let topic = wish.topic();
            let newer = |known: &Wish| topic.is_some() && known.topic() == topic;
            if !(given.decides(&wish) || wishes.iter().any(newer)) {
                wishes.push(wish);
            }
        }
    }
    // Oldest first, as they were said.
    wishes.reverse();
    Ok(wishes)
}
