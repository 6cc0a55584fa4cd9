//! Access to people's secrets by the template's roles, on an emulator that enforces IAM. It ignores KMS encryption
//! contexts, which `template` checks.
use alfred_aws::{ManagedCredentials, SdkConfig, Sessions};
use alfred_core::ports::{Account, Credentials, Provider, Secrets, SystemClock, credential_name};
use alfred_testkit::ministack::Ministack;
use aws_sdk_sts::types::Tag;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cloudformation::create_stack;
use crate::template::translated;

const FUNCTION_ROLES: &str = "ClassifierRole UtilityWorkerRole TeamManagerRole OauthCallbackRole";
const OURS: &str = "AccountsRole AccountsAccess ClientAccess GoogleSecret";
/// Required parameters of the template that aren't needed here.
const GIVEN: [&str; 3] = ["SlackBotToken", "SlackSigningSecret", "Model"];

/// The template's resources for people's secrets. The functions' roles only have the rights these give them, and
/// this test may assume them.
fn template() -> Value {
    let whole = translated();
    let mut resources = serde_json::Map::new();
    for name in OURS.split(' ') {
        resources.insert(name.into(), whole["Resources"][name].clone());
    }
    for name in FUNCTION_ROLES.split(' ') {
        let trust = json!({"Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Action": "sts:AssumeRole",
            "Principal": {"AWS": {"Fn::Sub": "arn:aws:iam::${AWS::AccountId}:root"}},
        }]});
        let properties = json!({"AssumeRolePolicyDocument": trust});
        let role = json!({"Type": "AWS::IAM::Role", "Properties": properties});
        resources.insert(name.into(), role);
    }
    let mut parameters = whole["Parameters"].clone();
    let declared = parameters.as_object_mut().unwrap();
    declared.retain(|name, _| !GIVEN.contains(&name.as_str()));
    let arn = |name: &str| json!({"Value": {"Fn::GetAtt": [name, "Arn"]}});
    json!({
        "Parameters": parameters,
        "Conditions": whole["Conditions"],
        "Resources": resources,
        "Outputs": {"accounts": arn("AccountsRole"), "worker": arn("UtilityWorkerRole")},
    })
}

struct Deployed {
    ministack: Ministack,
    outputs: BTreeMap<String, String>,
}

impl Deployed {
    async fn new() -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let ministack = Ministack::start(&[("AUTH", "true")]);
        let parameters = [("GoogleClientId", "alfred"), ("GoogleClientSecret", "hush")];
        let outputs = create_stack(&ministack, "accounts", &template(), &parameters).await;
        Self { ministack, outputs }
    }

    async fn root(&self) -> SdkConfig {
        let lookup = |name: &str| self.ministack.variable(name);
        alfred_aws::from_lookup(lookup).await.unwrap()
    }

    async fn assume(&self, by: &SdkConfig, role: &str, tags: &[(&str, &str)]) -> Option<SdkConfig> {
        let tag =
            |(key, value): &(&str, &str)| Tag::builder().key(*key).value(*value).build().unwrap();
        let tags: Vec<Tag> = tags.iter().map(tag).collect();
        let assumed = aws_sdk_sts::Client::new(by)
            .assume_role()
            .role_arn(role)
            .role_session_name("test")
            .set_tags((!tags.is_empty()).then_some(tags));
        let given = assumed.send().await.ok()?.credentials?;
        let lookup = |name: &str| match name {
            "AWS_ACCESS_KEY_ID" => Some(given.access_key_id.clone()),
            "AWS_SECRET_ACCESS_KEY" => Some(given.secret_access_key.clone()),
            "AWS_SESSION_TOKEN" => Some(given.session_token.clone()),
            name => self.ministack.variable(name),
        };
        Some(alfred_aws::from_lookup(lookup).await.unwrap())
    }

    async fn worker(&self) -> SdkConfig {
        let (root, role) = (self.root().await, &self.outputs["worker"]);
        let worker = self.assume(&root, role, &[]).await;
        worker.expect("the function's role")
    }

    async fn sessions(&self) -> Sessions {
        let role = Some(self.outputs["accounts"].clone());
        Sessions::new(&self.worker().await, role, Arc::new(SystemClock))
    }
}

fn person(user: &str) -> Account {
    Account::of(&"T1".into(), &user.into())
}

async fn each_has_their_own(credentials: &dyn Credentials) {
    for user in ["U1", "U10", "U2"] {
        let secret = SecretString::from(format!("of {user}"));
        let person = person(user);
        let put = credentials.put(&person, Provider::Google, &secret);
        put.await.unwrap();
    }
    for user in ["U1", "U10", "U2"] {
        let got = credentials.get(&person(user), Provider::Google).await;
        assert_eq!(got.unwrap().unwrap().expose_secret(), format!("of {user}"));
    }
}

#[tokio::test]
async fn a_function_reaches_a_secret_only_as_the_person_it_works_for() {
    let deployed = Deployed::new().await;
    let clock = Arc::new(SystemClock);
    let credentials = ManagedCredentials::new(deployed.sessions().await, clock.clone());
    each_has_their_own(&credentials).await;
    let worker = deployed.worker().await;
    let name = |user: &str| credential_name(&person(user), Provider::Google).unwrap();
    // The function's own rights don't suffice, even for the user it works for.
    let own = alfred_aws::secrets(&worker, clock.clone());
    assert!(own.get(&name("U1")).await.is_err());
    let accounts = &deployed.outputs["accounts"];
    for tags in [
        &[][..],
        &[("team", "T1")],
        &[("user", "U1")],
        &[("team", ""), ("user", "U1")],
    ] {
        let assumed = deployed.assume(&worker, accounts, tags).await;
        assert!(assumed.is_none(), "{tags:?}");
    }
    let tags = [("team", "T1"), ("user", "U1")];
    let as_ana = deployed.assume(&worker, accounts, &tags).await.unwrap();
    let as_ana = alfred_aws::secrets(&as_ana, clock);
    assert!(as_ana.get(&name("U1")).await.unwrap().is_some());
    for other in ["U2", "U10"] {
        assert!(as_ana.get(&name(other)).await.is_err(), "{other}");
        let put = as_ana.put(&name(other), &"forged".into()).await;
        assert!(put.is_err(), "{other}");
        assert!(as_ana.delete(&name(other)).await.is_err(), "{other}");
    }
    assert!(as_ana.get("alfred/GOOGLE_CLIENT_SECRET").await.is_err());
    each_has_their_own(&credentials).await;
}
