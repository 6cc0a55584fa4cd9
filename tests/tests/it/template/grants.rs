use alfred_core::keys;
use alfred_core::ports::{Account, Key, Provider};
use serde_json::{Value, json};
use std::collections::BTreeSet;

use super::rights::{Decision, Keys, decide, statements};
use super::stack::Stack;
use super::{CONSUMERS, FUNCTIONS, has, many, texts};

/// Roles | actions | resources | decision. `runs` are the functions that work on requests.
const RIGHTS: &str = "
runs             | s3:GetObject s3:PutObject | BlobsBucket.Arn/T1/U1/x | Allowed
runs             | s3:ListBucket | BlobsBucket.Arn | Allowed
runs             | s3:DeleteObject | BlobsBucket.Arn/T1/U1/x | NotAllowed
open             | s3:GetObject s3:PutObject | BlobsBucket.Arn/T1/U1/x | NotAllowed
Classifier       | s3:GetObject s3:PutObject | AuditBucket.Arn/d | Allowed
Classifier       | s3:ListBucket | AuditBucket.Arn | Allowed
Classifier       | s3:DeleteObject s3:PutObjectRetention | AuditBucket.Arn/d | NotAllowed
workers open     | s3:GetObject s3:PutObject | AuditBucket.Arn/d | NotAllowed
runs             | dynamodb:PutItem dynamodb:ConditionCheckItem | AuditTable.Arn | Allowed
runs             | dynamodb:UpdateItem dynamodb:DeleteItem dynamodb:BatchWriteItem | AuditTable.Arn | Denied
Classifier       | dynamodb:GetItem dynamodb:Query | AuditTable.Arn | Allowed
workers open     | dynamodb:GetItem dynamodb:Query | AuditTable.Arn | NotAllowed
open             | dynamodb:PutItem | AuditTable.Arn | NotAllowed
runs             | bedrock:InvokeModelWithResponseStream | arn:model | Allowed
runs             | bedrock:InvokeModelWithResponseStream | arn:other | NotAllowed
runs             | bedrock:InvokeModel | arn:model | NotAllowed
open             | bedrock:InvokeModelWithResponseStream | arn:model | NotAllowed
runs             | secretsmanager:GetSecretValue | S:alfred/SLACK_BOT_TOKEN S:alfred/SLACK_BOT_TOKEN-a1B2c3 | Allowed
runs             | secretsmanager:GetSecretValue | S:alfred/OPENAI_API_KEY S:alfred/GEMINI_API_KEY-a1B2c3 | Allowed
runs OauthCallback | secretsmanager:GetSecretValue | S:alfred/GOOGLE_CLIENT_SECRET S:alfred/MICROSOFT_CLIENT_SECRET-a1B2c3 | Allowed
runs open        | secretsmanager:GetSecretValue | S:alfred/SLACK_SIGNING_SECRET-a1B2c3 S:alfred-test/OPENAI_API_KEY | NotAllowed
runs             | secretsmanager:GetSecretValue | S:alfred/T1/U1/google-a1B2c3 S:alfred/T1/U1/MY_API_KEY | Denied
open             | secretsmanager:GetSecretValue | S:alfred/T1/U1/google-a1B2c3 S:alfred/OPENAI_API_KEY | NotAllowed
SlackReceiver    | secretsmanager:GetSecretValue | S:alfred/SLACK_BOT_TOKEN | NotAllowed
";
const SECRET: &str = "arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:";

#[test]
fn roles_may_do_what_they_need_and_nothing_else() {
    let stack = Stack::whole();
    for line in RIGHTS.trim().lines() {
        let columns: Vec<_> = line.split('|').map(str::trim).collect();
        let [roles, actions, resources, wanted] = columns[..] else {
            panic!("{line}")
        };
        let roles = roles.replace("runs", "Classifier workers");
        let roles = roles.replace("workers", "UtilityWorker TeamManager");
        let roles = roles.replace("open", "SlackReceiver OauthCallback");
        for role in roles.split(' ').map(|name| format!("{name}Role")) {
            for action in actions.split(' ') {
                for resource in resources.split(' ') {
                    let resource = resource.replace("S:", SECRET);
                    let decision = decide(&stack, &role, action, &resource, &[]);
                    assert_eq!(
                        format!("{decision:?}"),
                        wanted,
                        "{role} {action} {resource}"
                    );
                }
            }
        }
    }
}

/// Everybody on the internet may call this function.
#[test]
fn the_public_function_reaches_only_people_and_their_connections() {
    let (team, user) = ("T1".into(), "U1".into());
    let person = Account {
        team: "T1".into(),
        user: "U1".into(),
    };
    let may = |action: &str, key: &Key| {
        let keys = [("dynamodb:LeadingKeys", &*key.partition)];
        let action = format!("dynamodb:{action}");
        decide(
            &Stack::whole(),
            "OauthCallbackRole",
            &action,
            "StateTable.Arn",
            &keys,
        ) == Decision::Allowed
    };
    for (key, reads, writes) in [
        (keys::user(&team, &user), true, false),
        (keys::connected(&person, Provider::Google), true, true),
        (keys::credential(&person, Provider::Google), true, true),
        (keys::connecting(&person, "nonce"), true, true),
        (keys::sign_ins(&person), true, true),
        (keys::run(&team, &"run_1".into()), false, false),
        (keys::task(&team, &user, &"task_1".into()), false, false),
        (keys::approval(&team, &"apr_1".into()), false, false),
        (keys::trusted(&team, &user, "d"), false, false),
        (keys::effects_switch(&team), false, false),
        (keys::last_audit_digest(), false, false),
    ] {
        for (action, wanted) in [
            ("GetItem", reads),
            ("Query", reads),
            ("PutItem", writes),
            ("DeleteItem", writes),
        ] {
            assert_eq!(may(action, &key), wanted, "{action} {}", key.partition);
        }
    }
    let all = decide(
        &Stack::whole(),
        "OauthCallbackRole",
        "dynamodb:Query",
        "StateTable.Arn",
        &[],
    );
    assert_eq!(
        all,
        Decision::NotAllowed,
        "a request that names no partition"
    );
}

#[test]
fn nobody_may_do_everything_or_with_everything() {
    let stack = Stack::whole();
    let roles = stack.of_type("AWS::IAM::Role");
    assert_eq!(
        roles.len(),
        FUNCTIONS.len() + 2,
        "with AccountsRole and SweepRole"
    );
    for (role, properties) in roles {
        // AWS's managed policies cover every resource of an account.
        for policy in texts(&properties["ManagedPolicyArns"]) {
            assert_eq!(policy, "RunAccess", "{role}");
        }
        let all = statements(&stack, role);
        assert!(!all.is_empty(), "{role}");
        for statement in all {
            for action in texts(&statement["Action"]) {
                assert!(!action.contains('*'), "{role}: {action}");
            }
            assert!(!many(&statement["Resource"]).is_empty(), "{role}");
            for resource in texts(&statement["Resource"]) {
                // Objects have no ARN of their own, and secrets are made later, one per provider or person.
                let below = [
                    "BlobsBucket.Arn/",
                    "AuditBucket.Arn/",
                    &format!("{SECRET}alfred/"),
                ];
                let several = below.iter().any(|below| resource.starts_with(below));
                assert!(several || !resource.contains('*'), "{role}: {resource}");
            }
        }
    }
}

/// A function needs a tagged session of a separate role.
#[test]
fn only_a_tagged_session_reaches_a_persons_secret() {
    let stack = Stack::whole();
    let trust = stack.properties("AccountsRole");
    let trust = &trust["AssumeRolePolicyDocument"]["Statement"][0];
    let tags = json!({"StringLike": {"aws:RequestTag/team": "?*", "aws:RequestTag/user": "?*"}});
    assert_eq!(trust["Condition"], tags);
    let trusted: BTreeSet<_> = texts(&trust["Principal"]["AWS"])
        .map(|arn| arn.trim_end_matches(".Arn"))
        .collect();
    let given = stack.properties("AccountsAccess");
    assert_eq!(trusted, texts(&given["Roles"]).collect());
    let ana = [
        ("aws:PrincipalTag/team", "T1"),
        ("aws:PrincipalTag/user", "U1"),
    ];
    let context = |user| {
        [
            ("kms:EncryptionContext:team", "T1"),
            ("kms:EncryptionContext:user", user),
        ]
    };
    let by_key = [("AccountSecrets", "kms"), ("MailServers", "public")];
    let own = |stack: &Stack, action: &str, resource: &str, keys: Keys<'_>| {
        decide(stack, "AccountsRole", action, resource, keys) == Decision::Allowed
    };
    for (user, wanted) in [("U1", true), ("U10", false), ("U2", false)] {
        let secret = format!("{SECRET}alfred/T1/{user}/google-a1B2c3");
        assert_eq!(
            own(&stack, "secretsmanager:GetSecretValue", &secret, &ana),
            wanted,
            "{user}"
        );
        let keys = [&ana[..], &context(user)].concat();
        let decrypts = own(
            &Stack::with(&by_key),
            "kms:Decrypt",
            "AccountsKey.Arn",
            &keys,
        );
        assert_eq!(decrypts, wanted, "{user}");
    }
}

#[test]
fn the_receiver_may_only_enqueue() {
    let stack = Stack::whole();
    let own = statements(&stack, "SlackReceiverRole");
    let actions: BTreeSet<_> = own.iter().flat_map(|one| texts(&one["Action"])).collect();
    let may = "logs:CreateLogStream logs:PutLogEvents sqs:SendMessage";
    assert_eq!(actions, may.split(' ').collect());
    let receiver = stack.properties("SlackReceiver");
    let secret = receiver["Environment"]["Variables"]["SLACK_SIGNING_SECRET"].as_str();
    let resolved = secret.unwrap().starts_with("{{resolve:secretsmanager:");
    assert!(resolved, "read at each cold start");
}

#[test]
fn public_addresses_have_both_permissions_that_lambda_asks_for() {
    let stack = Stack::whole();
    for name in ["SlackReceiver", "OauthCallback"] {
        assert_eq!(stack.properties(&format!("{name}Url"))["AuthType"], "NONE");
        let permissions = stack.of_type("AWS::Lambda::Permission").into_iter();
        let own = permissions.filter(|(_, one)| one["FunctionName"] == name);
        let own: BTreeSet<_> = own
            .map(|(_, one)| one["Action"].as_str().unwrap().to_owned())
            .collect();
        let both = "lambda:InvokeFunction lambda:InvokeFunctionUrl";
        assert_eq!(own, both.split(' ').map(str::to_owned).collect(), "{name}");
    }
}

#[test]
fn a_queue_is_sent_to_only_with_its_address_and_the_right() {
    let stack = Stack::whole();
    let queues = stack.of_type("AWS::SQS::Queue");
    for name in FUNCTIONS {
        let variables = stack.properties(name)["Environment"]["Variables"].clone();
        let variables = variables.as_object().unwrap().iter();
        let addresses = variables.filter(|(variable, _)| variable.ends_with("_QUEUE_URL"));
        let mut known: BTreeSet<_> = addresses
            .map(|(_, value)| value.as_str().unwrap().to_owned())
            .collect();
        // Messages it can't handle go to its queue's dead letters.
        let drained = CONSUMERS.iter().filter(|(consumer, _)| *consumer == name);
        known.extend(drained.map(|(_, queue)| queue.replace("Queue", "DeadLetters")));
        let role = format!("{name}Role");
        let may = |queue: &str| {
            decide(
                &stack,
                &role,
                "sqs:SendMessage",
                &format!("{queue}.Arn"),
                &[],
            )
        };
        let may = queues
            .iter()
            .filter(|(queue, _)| may(queue) == Decision::Allowed);
        assert_eq!(
            known,
            may.map(|(queue, _)| (*queue).to_owned()).collect(),
            "{name}"
        );
    }
}

#[test]
fn only_the_classifier_knows_where_digests_are_locked() {
    for name in FUNCTIONS {
        let bucket = match name {
            "Classifier" => json!("AuditBucket"),
            _ => Value::Null,
        };
        let properties = Stack::whole().properties(name);
        assert_eq!(
            properties["Environment"]["Variables"]["AUDIT_BUCKET"], bucket,
            "{name}"
        );
    }
}

#[test]
fn secrets_are_made_only_of_what_is_given() {
    let made = |given: &[(&str, &str)]| {
        let secrets = Stack::with(given).of_type("AWS::SecretsManager::Secret");
        let names = secrets
            .iter()
            .map(|(_, one)| one["Name"].as_str().unwrap().to_owned());
        names.collect::<BTreeSet<_>>()
    };
    let always = ["alfred/SLACK_BOT_TOKEN", "alfred/SLACK_SIGNING_SECRET"].map(str::to_owned);
    assert_eq!(made(&[]), BTreeSet::from(always));
    assert!(made(&[("ModelKey", "k")]).contains("alfred/OPENAI_API_KEY"));
}

/// With a key of the deployment, who reads a configuration doesn't read its secrets.
#[test]
fn environments_with_secrets_can_have_a_key_of_their_own() {
    for name in FUNCTIONS {
        let stack = Stack::with(&[("EnvironmentKeyArn", "arn:key")]);
        let properties = stack.properties(name);
        let variables = properties["Environment"]["Variables"].to_string();
        let wanted = json!({"KmsKeyArn": if variables.contains("{{resolve:") { "arn:key".into() } else { Value::Null }});
        has(name, &properties, &wanted);
        assert_eq!(
            Stack::whole().properties(name)["KmsKeyArn"],
            Value::Null,
            "{name}"
        );
    }
}
