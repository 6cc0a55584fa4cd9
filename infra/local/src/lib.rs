//! Alfred on one machine: all functions in one process, a page that plays Slack, a command line.
