//! What is said about the teams of a request.

use std::fmt::Write;

/// How far a team is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamStands {
    /// It needs what another one makes.
    Waits,
    /// It is at work.
    Works,
    /// It has done its part.
    Done,
    /// It couldn't do its part.
    Failed,
}

/// A complex request is taken up; with several teams, how far each one is.
pub fn taken_up(parts: &[(&str, TeamStands)]) -> String {
    let teams: Vec<&str> = parts.iter().map(|(team, _)| *team).collect();
    let mut said = format!("On it. I'm bringing in: {}.", teams.join(", "));
    let alike = parts.iter().all(|(_, stands)| *stands == TeamStands::Works);
    if alike || parts.len() < 2 {
        return said;
    }
    for (team, stands) in parts {
        let stands = match stands {
            TeamStands::Waits => "waits for its turn",
            TeamStands::Works => "is at work",
            TeamStands::Done => "is done",
            TeamStands::Failed => "couldn't do its part",
        };
        let _ = write!(said, "\n• {team} {stands}");
    }
    said
}

/// A team that never started.
pub fn team_not_started() -> String {
    "It wasn't started, since the team whose work it needs couldn't do its part.".into()
}

/// A team that the request's time left no room for.
pub fn team_too_late() -> String {
    "It wasn't started, since the time for the whole request was over.".into()
}

/// A team that was ended with the request's time.
pub fn team_timed_out() -> String {
    "It wasn't finished when the time for the whole request was over.".into()
}

/// A team that there is no more.
pub fn team_gone() -> String {
    "The team for this part isn't there any more, so it wasn't done. Asking again finds another way.".into()
}

/// What a team had made when it was ended, behind the reason.
pub fn partial_result(reason: &str, made: &str) -> String {
    format!("{reason}\n\nThis is what there was by then, unfinished:\n\n{made}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_shown_once_they_differ() {
        use TeamStands::{Done, Failed, Waits, Works};
        let plain = "On it. I'm bringing in: research, marketing.";
        assert_eq!(
            taken_up(&[("research", Works), ("marketing", Works)]),
            plain
        );
        assert_eq!(taken_up(&[("a", Done)]), "On it. I'm bringing in: a.");
        assert_eq!(
            taken_up(&[("a", Done), ("b", Failed), ("c", Works), ("d", Waits)]),
            "On it. I'm bringing in: a, b, c, d.\n• a is done\n• b couldn't do its part\n• c is at work\n• d waits for its turn"
        );
    }
}
