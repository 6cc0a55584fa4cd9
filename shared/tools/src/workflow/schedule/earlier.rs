//! Applies habits and earlier feedback to a plan. Wishes for this plan and set preferences take precedence.

use alfred_planner::mail::capitalized;
use alfred_planner::patterns::{Pattern, What};
use alfred_planner::{Habits, Wish, check_wishes};

use crate::prelude::*;
use crate::system::observed::{About, sure_patterns};
use crate::system::remarks;

/// How long feedback is followed.
const FOLLOWED: SignedDuration = SignedDuration::from_hours(24 * 180);
/// Most remarks to read, the newest.
const REMARKS: usize = 50;

pub(super) struct Earlier {
    /// From preferences, and from earlier days where the person set no preference.
    pub habits: Habits,
    /// From earlier feedback.
    pub wishes: Vec<Wish>,
    pub lines: Vec<String>,
}

/// What takes precedence over habits and feedback.
pub(super) struct Given<'a> {
    pub date: Date,
    /// The owner's time zone on that day.
    pub zone: &'a TimeZone,
    pub wanted: &'a [Wish],
    /// Names of preferences that the person set.
    pub set: &'a [String],
    pub habits: &'a Habits,
}

impl Given<'_> {
    /// Whether a preference or a wish for this plan already decides what this wish is about.
    fn decides(&self, wish: &Wish) -> bool {
        let Some(topic) = wish.topic() else {
            return self.wanted.contains(wish);
        };
        let no_lunch = topic == "lunchTime" && self.habits.lunch_length == 0;
        let mut wanted = self.wanted.iter().filter_map(Wish::topic);
        no_lunch || self.set.contains(&topic) || wanted.any(|wanted| wanted == topic)
    }

    /// Whether the plan can follow a wish together with the others. If the others can't be followed either,
    /// only the wish itself is checked.
    fn takes(&self, habits: &Habits, others: &[Wish], wish: &Wish) -> bool {
        let fit = |wishes: Vec<Wish>| check_wishes(habits, &wishes, self.date, self.zone).is_ok();
        let others = [others, self.wanted].concat();
        let all = [std::slice::from_ref(wish), &others].concat();
        fit(all) || (!fit(others) && fit(vec![wish.clone()]))
    }
}

pub(super) async fn earlier(context: &ToolContext, given: &Given<'_>) -> Result<Earlier> {
    let known = sure_patterns(context, &[About::Days, About::Feedback]).await?;
    let said = said(context, given).await?;
    let mut followed = Earlier {
        habits: given.habits.clone(),
        wishes: Vec::new(),
        lines: Vec::new(),
    };
    let asked = |habit| Some((habit, asked(habit, given, &said)?));
    let asked: Vec<(&Pattern, Wish)> = known.iter().filter_map(asked).collect();
    let is_new = |wish: &&Wish| asked.iter().all(|(_, asked)| asked != *wish);
    let mut new: Vec<String> = Vec::new();
    for wish in said.iter().filter(is_new) {
        if followed.take(wish, given) {
            new.push(wish.to_string());
        }
    }
    for (habit, wish) in &asked {
        if followed.take(wish, given) {
            let line = habit_line(wish, "you asked for it", habit);
            followed.lines.push(line);
        }
    }
    if !new.is_empty() {
        // Oldest first.
        new.reverse();
        let new = new.join(", ");
        let line = format!("From what you said before: {new}.");
        followed.lines.push(line);
    }
    for habit in &known {
        followed.imitate(habit, given);
    }
    Ok(followed)
}

fn habit_line(wish: &Wish, what: &str, Pattern { agree, of, .. }: &Pattern) -> String {
    let wish = capitalized(&wish.to_string());
    format!("{wish}: {what} {agree} of {of} times.")
}

/// The wish of a habit, unless the latest feedback on its topic differs.
fn asked(habit: &Pattern, given: &Given<'_>, said: &[Wish]) -> Option<Wish> {
    let What::Asked(wish) = &habit.what else {
        return None;
    };
    let other = |said: &Wish| said.topic() == wish.topic() && said != wish;
    let is_followed = !given.decides(wish) && !said.iter().any(other);
    is_followed.then(|| wish.clone())
}

impl Earlier {
    /// Follows a wish, or adds a note that this plan can't: old feedback must not block every plan. Wishes
    /// taken first have more weight.
    fn take(&mut self, wish: &Wish, given: &Given<'_>) -> bool {
        let takes = given.takes(&self.habits, &self.wishes, wish);
        if takes {
            self.wishes.insert(0, wish.clone());
        } else {
            self.lines.push(format!(
                "You said \"{wish}\" before; this plan can't follow it, so I left it aside."
            ));
        }
        takes
    }

    /// Follows what is so on most days, unless a wish or preference decides it.
    fn imitate(&mut self, habit: &Pattern, given: &Given<'_>) {
        let wish = match &habit.what {
            What::LunchAt(time) if *time != self.habits.lunch => Wish::LunchAt(*time),
            What::FocusLength(minutes) if *minutes != self.habits.focus => {
                Wish::FocusLength(*minutes)
            }
            _ => return,
        };
        let mut wishes = self.wishes.iter();
        let asked = wishes.any(|asked| asked.topic() == wish.topic());
        if given.decides(&wish) || asked || !given.takes(&self.habits, &self.wishes, &wish) {
            return;
        }
        let line = habit_line(&wish, "it was so", habit);
        match wish {
            Wish::LunchAt(time) => self.habits.lunch = time,
            Wish::FocusLength(minutes) => self.habits.focus = minutes,
            _ => return,
        }
        self.lines.push(line);
    }
}

/// Wishes from feedback, newest first, only the latest on each topic. Tainted remarks are left out.
async fn said(context: &ToolContext, given: &Given<'_>) -> Result<Vec<Wish>> {
    let since = context.now.saturating_sub(FOLLOWED).unwrap_or(context.now);
    let remarks = remarks::since(context, since, REMARKS).await?;
    let mut wishes: Vec<Wish> = Vec::new();
    for remark in &remarks.items {
        // The last wish of a remark wins too.
        for wish in remark.followed().iter().rev() {
            let topic = wish.topic();
            let newer = |known: &Wish| topic.is_some() && known.topic() == topic;
            if !(given.decides(wish) || wishes.iter().any(newer)) {
                wishes.push(wish.clone());
            }
        }
    }
    Ok(wishes)
}
