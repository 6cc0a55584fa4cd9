//! Names of environment variables.

pub const ALFRED_DATA: &str = "ALFRED_DATA";
/// `provider:model`, or several separated by commas. The first that answers is used.
pub const ALFRED_MODEL: &str = "ALFRED_MODEL";
/// Base URL of an OpenAI-compatible endpoint; wins over `OPENAI_BASE_URL`.
pub const ALFRED_MODEL_URL: &str = "ALFRED_MODEL_URL";
/// Like `ALFRED_MODEL_URL`, under the name that other programs use.
pub const OPENAI_BASE_URL: &str = "OPENAI_BASE_URL";
/// Context size of each model in tokens, prompt and answer together, if its server doesn't report it.
pub const ALFRED_MODEL_CONTEXT: &str = "ALFRED_MODEL_CONTEXT";
/// What the names of a deployment's queues, secrets and metrics start with; `alfred` by default.
pub const ALFRED_STAGE: &str = "ALFRED_STAGE";
pub const OPENAI_API_KEY: &str = "OPENAI_API_KEY";
/// Slack ids of administrators, separated by commas.
pub const ALFRED_ADMINS: &str = "ALFRED_ADMINS";
/// Seconds between two searches for a reply whose outcome is unknown; 30 by default.
pub const ALFRED_REPLY_SETTLE: &str = "ALFRED_REPLY_SETTLE";
/// The approval policy as JSON (see `Policy`).
pub const ALFRED_POLICY: &str = "ALFRED_POLICY";
/// Minutes until an approval expires; 60 by default.
pub const ALFRED_APPROVAL_MINUTES: &str = "ALFRED_APPROVAL_MINUTES";
/// Daily budget of each person as JSON (see `DailyBudget`).
pub const ALFRED_DAILY_BUDGET: &str = "ALFRED_DAILY_BUDGET";
/// Additional daily budget for a person's scheduled runs, as JSON (see `DailyBudget`).
pub const ALFRED_SCHEDULED_BUDGET: &str = "ALFRED_SCHEDULED_BUDGET";
/// SMTP server: `smtps://user@host:465` or `smtp://user@host:587`. Without it, mail stays in its folder.
pub const ALFRED_SMTP_URL: &str = "ALFRED_SMTP_URL";
/// Its password. If unset, the secret of this name is used.
pub const ALFRED_SMTP_PASSWORD: &str = "ALFRED_SMTP_PASSWORD";
/// IMAP server of a person's mail: `imaps://user@host:993`. Mail is sent through `ALFRED_SMTP_URL`.
pub const ALFRED_IMAP_URL: &str = "ALFRED_IMAP_URL";
/// Its password. If unset, the secret of this name is used.
pub const ALFRED_IMAP_PASSWORD: &str = "ALFRED_IMAP_PASSWORD";
/// A person's CalDAV calendar: `https://user@host/path/of/the/calendar/`.
pub const ALFRED_CALDAV_URL: &str = "ALFRED_CALDAV_URL";
/// Its password. If unset, the secret of this name is used.
pub const ALFRED_CALDAV_PASSWORD: &str = "ALFRED_CALDAV_PASSWORD";
/// Mail servers that people may connect by password: `public` for those on the public internet, or
/// host names, which may be internal. If unset, nobody can connect one (docs/mail-servers.md).
pub const ALFRED_MAIL_SERVERS: &str = "ALFRED_MAIL_SERVERS";
/// URL of the page where people connect such a server.
pub const ALFRED_CONNECT_URL: &str = "ALFRED_CONNECT_URL";
pub const SLACK_API_URL: &str = "SLACK_API_URL";
/// App-level token: Slack's messages come over Socket Mode, on one machine.
pub const SLACK_APP_TOKEN: &str = "SLACK_APP_TOKEN";
pub const SLACK_BOT_TOKEN: &str = "SLACK_BOT_TOKEN";
/// App configuration token: `alfred doctor` reads the app's events with it.
pub const SLACK_CONFIG_TOKEN: &str = "SLACK_CONFIG_TOKEN";
/// The secret that verifies requests from Slack.
pub const SLACK_SIGNING_SECRET: &str = "SLACK_SIGNING_SECRET";
/// The previous signing secret, accepted during a rotation.
pub const SLACK_SIGNING_SECRET_PREVIOUS: &str = "SLACK_SIGNING_SECRET_PREVIOUS";
pub const STATE_TABLE: &str = "STATE_TABLE";
pub const AUDIT_TABLE: &str = "AUDIT_TABLE";
/// Name of the bucket for bodies too large for the table.
pub const BLOBS_BUCKET: &str = "BLOBS_BUCKET";
/// Name of the bucket for the locked daily audit digests.
pub const AUDIT_BUCKET: &str = "AUDIT_BUCKET";
/// Queue from the receiver to the classifier.
pub const INGRESS_QUEUE_URL: &str = "INGRESS_QUEUE_URL";
/// Queue from the other functions to the classifier.
pub const RUNS_QUEUE_URL: &str = "RUNS_QUEUE_URL";
/// Queue from the classifier to the utility worker.
pub const UTILITY_QUEUE_URL: &str = "UTILITY_QUEUE_URL";
/// Queue from the classifier to the team manager.
pub const TEAM_QUEUE_URL: &str = "TEAM_QUEUE_URL";
/// OAuth client id for Google. Without it nobody can connect a Google account.
pub const GOOGLE_CLIENT_ID: &str = "GOOGLE_CLIENT_ID";
/// Its client secret. If unset, the secret of this name is used.
pub const GOOGLE_CLIENT_SECRET: &str = "GOOGLE_CLIENT_SECRET";
/// OAuth redirect URI, as registered at Google.
pub const GOOGLE_REDIRECT_URI: &str = "GOOGLE_REDIRECT_URI";
/// Base URL of all Google APIs, to use a stand-in instead.
pub const GOOGLE_API_URL: &str = "GOOGLE_API_URL";
/// OAuth client id for Microsoft. Without it nobody can connect a Microsoft account.
pub const MICROSOFT_CLIENT_ID: &str = "MICROSOFT_CLIENT_ID";
/// Its client secret. If unset, the secret of this name is used.
pub const MICROSOFT_CLIENT_SECRET: &str = "MICROSOFT_CLIENT_SECRET";
/// Accounts to accept: a tenant's id or domain, `organizations`, `consumers`, or `common` (the default).
pub const MICROSOFT_TENANT: &str = "MICROSOFT_TENANT";
/// OAuth redirect URI, as registered at Microsoft.
pub const MICROSOFT_REDIRECT_URI: &str = "MICROSOFT_REDIRECT_URI";
/// Base URL of Microsoft Graph and its consent pages, to use a stand-in instead.
pub const MICROSOFT_API_URL: &str = "MICROSOFT_API_URL";
/// Web search provider: `searxng`, `tavily` or `openai:model`. If unset, `SEARXNG_URL` or `TAVILY_API_KEY` decides.
pub const ALFRED_SEARCH: &str = "ALFRED_SEARCH";
/// Base URL of a SearXNG server. Its settings must list `json` under `search.formats`.
pub const SEARXNG_URL: &str = "SEARXNG_URL";
/// API key of Tavily. If unset, the secret of this name is used.
pub const TAVILY_API_KEY: &str = "TAVILY_API_KEY";
/// ARN of the role that reads people's own secrets, in sessions tagged with their owner.
pub const ACCOUNTS_ROLE: &str = "ACCOUNTS_ROLE";
/// KMS key that encrypts people's secrets in the state table. If unset, they are stored in Secrets Manager.
pub const ACCOUNTS_KEY: &str = "ACCOUNTS_KEY";
pub const AWS_ENDPOINT_URL: &str = "AWS_ENDPOINT_URL";
