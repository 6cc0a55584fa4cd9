//! A function behind a queue: its handler's ports, wired from what the provider
//! gives, metered, with Slack and the model behind the settings of the environment.

use alfred_accounts::oauth::{Connections, Several};
use alfred_agent::Ports;
use alfred_agent::runner::give_up::give_up;
use alfred_agent::store::ports::Hook;
use alfred_core::ports::{
    Accounts, Calendar, Clock, Connect, Documents, Intercepted, Mail, NoFolders, PerPerson,
    Provider, ProviderPorts, Sheets, SystemClock, SystemIds, Web,
};
use alfred_core::{Config, ConfigError, Deadline, Envelope, Failure};
use alfred_google::{Endpoints, Google};
use alfred_mail_servers::ServerAccounts;
use alfred_microsoft::Microsoft;
use alfred_schedule::JobEnd;
use alfred_teams::TeamReport;
use alfred_web as web;
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use std::sync::Arc;

use crate::accounts::slack;
use crate::metered::{Meter, Metering};
use crate::models;
use crate::{BatchRunner, Delivery, Inbound, LastResort, Message};

pub(crate) type Lookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

pub struct Function {
    ports: Ports,
    meter: Meter,
    runner: BatchRunner,
}

impl Function {
    /// Wires the ports. Sends nothing, and reads no secret before it is needed.
    /// Fails for a setting that is missing or can't be used, with its name.
    pub fn wire(
        service: &'static str,
        outside: ProviderPorts,
        variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Result<Self, ConfigError> {
        let lookup: Lookup = Arc::new(variable);
        let variable = &*lookup;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let meter = Meter::default();
        let chat = slack(&outside, &clock, variable);
        let model = models::wired(&outside, &clock, &lookup);
        let by = Metering {
            meter: meter.clone(),
            clock: clock.clone(),
        };
        let accounts = accounts(&by, &outside, &clock, variable)?;
        let secrets = outside.secrets.clone();
        let web = web::from_settings(variable, secrets, clock.clone(), alfred_models::cost_of)?;
        let web = Web {
            search: metered(&by, web.search),
            pages: metered(&by, web.pages),
        };
        let measured = meter.clone();
        let ports = Ports {
            hooks: [Arc::new(TeamReport) as Arc<dyn Hook>, Arc::new(JobEnd)].into(),
            store: metered(&by, outside.store),
            queue: metered(&by, outside.queue),
            chat: metered(&by, chat),
            accounts,
            web,
            folders: Arc::new(NoFolders),
            model: metered(&by, model),
            clock: clock.clone(),
            ids: Arc::new(SystemIds),
            config: Arc::new(Config::read(variable)?),
            measure: Arc::new(move |ms| measured.tool(ms)),
            draw: alfred_timeline::png,
            live: true,
        };
        let last_resort = Arc::new(GivesUp(ports.clone()));
        Ok(Self {
            runner: BatchRunner::new(service, clock, outside.redelivery, last_resort),
            ports,
            meter,
        })
    }

    pub fn ports(&self) -> Ports {
        self.ports.clone()
    }

    /// Serves Lambda's invocations until the process is ended. What the ports do for a message counts into its metrics.
    pub async fn serve<M: Message>(
        self,
        handler: impl AsyncFn(M, Delivery) -> Result<(), Failure>,
    ) -> Result<(), lambda_runtime::Error> {
        let meter = self.meter;
        let metering = async move |message, delivery: Delivery| {
            meter.count_into(delivery.metrics.clone());
            handler(message, delivery).await
        };
        self.runner.serve(metering).await
    }

    /// Serves a worker's queue: `handle` takes the runs, `inline` the requests sent as they are, each with the id of
    /// its message.
    pub async fn serve_worker<W, I: DeserializeOwned + Clone>(
        self,
        worker: &W,
        handle: impl AsyncFn(&W, &Envelope, Deadline) -> Result<(), Failure>,
        inline: impl AsyncFn(&W, I, &str, Deadline) -> Result<(), Failure>,
    ) -> Result<(), lambda_runtime::Error> {
        let handler = async |message: Inbound<I>, delivery: Delivery| match message {
            Inbound::Envelope(envelope) => handle(worker, &envelope, delivery.deadline).await,
            Inbound::Inline(input) => {
                inline(worker, *input, &delivery.message_id, delivery.deadline).await
            }
        };
        self.serve(handler).await
    }
}

struct GivesUp(Ports);

#[async_trait]
impl LastResort for GivesUp {
    async fn give_up(&self, envelope: &Envelope, why: &str) -> Result<(), Failure> {
        give_up(&self.0, envelope, why).await
    }
}

/// People's own accounts, at the providers of which a client is registered, and by password where that is allowed.
/// Nothing is read before somebody uses one.
fn accounts(
    by: &Metering,
    outside: &ProviderPorts,
    clock: &Arc<dyn Clock>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Accounts, ConfigError> {
    let (store, credentials) = (&outside.store, &outside.credentials);
    let endpoints = Endpoints::from_settings(variable);
    let consents = Connections::from_settings(endpoints.clone(), variable, outside, clock);
    let google = consents.map(|consents| {
        let google = Google::new(endpoints, consents.clone(), store.clone(), clock.clone());
        (consents, Arc::new(google))
    });
    let endpoints = alfred_microsoft::Endpoints::from_settings(variable);
    let consents = Connections::from_settings(endpoints.clone(), variable, outside, clock);
    let microsoft = consents.map(|consents| {
        let microsoft = Microsoft::new(endpoints, consents.clone(), store.clone(), clock.clone());
        (consents, Arc::new(microsoft))
    });
    let servers = ServerAccounts::from_settings(variable, store, credentials, clock.clone())?;
    let none = Accounts::none();
    let mut connects: Vec<Arc<dyn Connect>> = Vec::new();
    let mut mails: Vec<(Provider, Arc<dyn Mail>)> = Vec::new();
    let mut calendars: Vec<(Provider, Arc<dyn Calendar>)> = Vec::new();
    if let Some((connect, google)) = &google {
        connects.push(connect.clone());
        mails.push((Provider::Google, google.clone()));
        calendars.push((Provider::Google, google.clone()));
    }
    if let Some((connect, microsoft)) = microsoft {
        connects.push(connect);
        mails.push((Provider::Microsoft, microsoft.clone()));
        calendars.push((Provider::Microsoft, microsoft));
    }
    if let Some(servers) = servers {
        mails.push((Provider::Servers, servers.mail()));
        calendars.push((Provider::Servers, servers.calendar()));
        connects.push(servers);
    }
    let connect: Arc<dyn Connect> = Arc::new(Several::new(connects));
    let mail = chosen(&connect, mails, none.mail, |all| Arc::new(all));
    let calendar = chosen(&connect, calendars, none.calendar, |all| Arc::new(all));
    let (mail, calendar) = (metered(by, mail), metered(by, calendar));
    let (documents, sheets): (Arc<dyn Documents>, Arc<dyn Sheets>) = match google {
        Some((_, google)) => (metered(by, google.clone()), metered(by, google)),
        None => (none.documents, none.sheets),
    };
    Ok(Accounts {
        mail,
        calendar,
        documents,
        sheets,
        connect,
    })
}

/// Where there is one side alone, nobody is asked whose it is.
fn chosen<P: ?Sized>(
    connect: &Arc<dyn Connect>,
    mut connected: Vec<(Provider, Arc<P>)>,
    otherwise: Arc<P>,
    several: fn(PerPerson<P>) -> Arc<P>,
) -> Arc<P> {
    match connected.len() {
        0 | 1 => connected.pop().map_or(otherwise, |(_, only)| only),
        _ => several(PerPerson {
            connect: connect.clone(),
            connected,
            otherwise,
        }),
    }
}

fn metered<P: ?Sized>(by: &Metering, port: Arc<P>) -> Arc<Intercepted<P, Metering>> {
    let by = by.clone();
    Arc::new(Intercepted { by, port })
}
