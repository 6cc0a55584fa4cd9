//! The manifest from which a Slack app is made. `infra/slack-app.yaml` is its one source.

/// Names the scopes, and in a comment what doesn't work without each.
pub(crate) const SOURCE: &str = include_str!("../../../infra/slack-app.yaml");
/// Stands for the address until it is known.
const EXAMPLE: &str = "https://example.com/";

/// How Slack reaches Alfred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach<'a> {
    /// Socket Mode: Alfred opens the connection, and needs no address.
    Socket,
    /// All of the address to which Slack sends its requests.
    Url(&'a str),
    /// The address is put in later.
    Unknown,
}

pub fn manifest(reach: Reach<'_>) -> String {
    let is_address = |line: &&str| line.contains(EXAMPLE);
    let hint = |line: &&str| line.starts_with('#') && line.contains("address");
    let lines = SOURCE.lines();
    let lines: Vec<String> = match reach {
        Reach::Unknown => return SOURCE.to_owned(),
        Reach::Url(url) => {
            let lines = lines.filter(|line| !hint(line));
            lines.map(|line| line.replace(EXAMPLE, url)).collect()
        }
        Reach::Socket => {
            let lines = lines.filter(|line| !hint(line) && !is_address(line));
            let on = |line: &str| {
                line.replace("socket_mode_enabled: false", "socket_mode_enabled: true")
            };
            lines.map(on).collect()
        }
    };
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that differ from the source, as "-" and "+".
    fn changes(reach: Reach<'_>) -> Vec<String> {
        let made = manifest(reach);
        let missing = |there: &str, line: &&str| !there.lines().any(|one| one == *line);
        let gone = SOURCE.lines().filter(|line| missing(&made, line));
        let gone = gone.map(|line| format!("- {}", line.trim()));
        let new = made.lines().filter(|line| missing(SOURCE, line));
        gone.chain(new.map(|line| format!("+ {}", line.trim())))
            .collect()
    }

    #[test]
    fn only_the_way_to_alfred_changes() {
        assert_eq!(changes(Reach::Unknown), [""; 0]);
        let hint = "- # Put the stack's output SlackRequestUrl in place of the three addresses.";
        let example = [
            "- url: https://example.com/",
            "- request_url: https://example.com/",
            "- request_url: https://example.com/",
        ];
        let socket = [
            "- socket_mode_enabled: false",
            "+ socket_mode_enabled: true",
        ];
        assert_eq!(
            changes(Reach::Socket),
            [&[hint], &example[..], &socket].concat()
        );
        let url = [
            "+ url: https://a.example/x",
            "+ request_url: https://a.example/x",
            "+ request_url: https://a.example/x",
        ];
        let made = changes(Reach::Url("https://a.example/x"));
        assert_eq!(made, [&[hint], &example[..], &url].concat());
    }
}
