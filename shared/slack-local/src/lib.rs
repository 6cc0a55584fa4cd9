//! A strict stand-in of Slack's HTTP API.
