use alfred_core::ports::{Account, Provider};
use alfred_core::{TeamId, UserId, keys};
use serde_json::json;
use std::collections::BTreeSet;

use super::rights::{Decision, decide, statements};
use super::stack::Stack;
use super::{many, rows, texts};

pub const SECRET: &str = "arn:AWS::Partition:secretsmanager:AWS::Region:AWS::AccountId:secret:";

#[test]
fn roles_may_do_what_they_need_and_nothing_else() {
    for (stage, other) in [("alfred", "alfred-test"), ("alfred-test", "alfred")] {
        let stacks = ["secrets-manager", "kms"]
            .map(|kept| Stack::whole_with(&[("Stage", stage), ("AccountSecrets", kept)]));
        let arns = [stage, other].map(|stage| format!("{SECRET}{stage}/"));
        for row in rows("rights.txt") {
            check(&row, &stacks, &arns);
        }
    }
}

/// A row of `rights.txt`, with the stacks that keep accounts in either way, and what secrets of this and of another stage
/// start with.
fn check(row: &str, stacks: &[Stack; 2], arns: &[String; 2]) {
    let columns: Vec<_> = row.split('|').map(str::trim).collect();
    let keys = columns.get(4).into_iter().flat_map(|keys| keys.split(' '));
    let keys: Vec<_> = keys.map(|one| one.split_once('=').unwrap()).collect();
    let roles = columns[0].replace("runs", "Classifier workers");
    let roles = roles.replace("workers", "UtilityWorker TeamManager");
    let roles = roles.replace("open", "SlackReceiver OauthCallback");
    for role in roles.split(' ') {
        let stack = &stacks[usize::from(role.ends_with("ByKey"))];
        let role = format!("{}Role", role.trim_end_matches("ByKey"));
        for action in columns[1].split(' ') {
            for resource in columns[2].split(' ') {
                let resource = resource.replace("S:", &arns[0]).replace("O:", &arns[1]);
                let decision = decide(stack, &role, action, &resource, &keys);
                let decision = format!("{decision:?}");
                assert_eq!(decision, columns[3], "{role} {action} {resource}");
            }
        }
    }
}

/// Everybody on the internet may call this function.
#[test]
fn the_public_function_reaches_only_people_and_their_connections() {
    let stack = Stack::whole();
    let (team, user) = (&TeamId::from("T1"), &UserId::from("U1"));
    let person = &Account::of(team, user);
    let (role, google) = ("OauthCallbackRole", Provider::Google);
    let all = "GetItem Query PutItem DeleteItem";
    for (key, may) in [
        (keys::user(team, user), "GetItem Query"),
        (keys::connected(person, google), all),
        (keys::credential(person, google), all),
        (keys::connecting(person, "nonce"), all),
        (keys::sign_ins(person), all),
        (keys::run(team, &"run_1".into()), ""),
        (keys::task(team, user, &"task_1".into()), ""),
        (keys::approval(team, &"apr_1".into()), ""),
        (keys::trusted(team, user, "d"), ""),
        (keys::effects_switch(team), ""),
        (keys::last_audit_digest(), ""),
    ] {
        let keys = [("dynamodb:LeadingKeys", &*key.partition)];
        let mut actions = vec!["GetItem", "Query", "PutItem", "DeleteItem", "UpdateItem"];
        actions.retain(|action| {
            let action = format!("dynamodb:{action}");
            decide(&stack, role, &action, "StateTable.Arn", &keys) == Decision::Allowed
        });
        assert_eq!(actions.join(" "), may, "{}", key.partition);
    }
}

#[test]
fn nobody_may_do_everything_or_with_everything() {
    let stack = Stack::whole();
    let roles = stack.of_type("AWS::IAM::Role");
    assert_eq!(roles.len(), 7, "functions, AccountsRole, SweepRole");
    // Objects have no ARN of their own, and secrets are made later, one per provider or person.
    let secrets = format!("{SECRET}alfred/");
    let several = ["BlobsBucket.Arn/", "AuditBucket.Arn/", &secrets];
    for (role, properties) in roles {
        // AWS's managed policies cover every resource of an account.
        for policy in texts(&properties["ManagedPolicyArns"]) {
            assert_eq!(policy, "RunAccess", "{role}");
        }
        for statement in statements(&stack, role) {
            for action in texts(&statement["Action"]) {
                assert!(!action.contains('*'), "{role}: {action}");
            }
            assert!(!many(&statement["Resource"]).is_empty(), "{role}");
            for resource in texts(&statement["Resource"]) {
                let below = several.iter().any(|below| resource.starts_with(below));
                assert!(below || !resource.contains('*'), "{role}: {resource}");
            }
        }
    }
}

/// A function needs a tagged session of a separate role.
#[test]
fn people_own_secrets_need_a_tagged_session() {
    let stack = Stack::whole();
    let trust = stack.properties("AccountsRole");
    let trust = &trust["AssumeRolePolicyDocument"]["Statement"][0];
    let tags = json!({"StringLike": {"aws:RequestTag/team": "?*", "aws:RequestTag/user": "?*"}});
    assert_eq!(trust["Condition"], tags);
    let trusted = texts(&trust["Principal"]["AWS"]).map(|arn| arn.trim_end_matches(".Arn"));
    let given = stack.properties("AccountsAccess");
    let given: BTreeSet<_> = texts(&given["Roles"]).collect();
    assert_eq!(trusted.collect::<BTreeSet<_>>(), given);
}

#[test]
fn the_receiver_may_only_enqueue() {
    let own = statements(&Stack::whole(), "SlackReceiverRole");
    let actions: BTreeSet<_> = own.iter().flat_map(|one| texts(&one["Action"])).collect();
    let may = "logs:CreateLogStream logs:PutLogEvents sqs:SendMessage";
    assert_eq!(actions, may.split(' ').collect());
}

#[test]
fn public_addresses_have_both_permissions_that_lambda_asks_for() {
    let permissions = Stack::whole().of_type("AWS::Lambda::Permission");
    for name in ["SlackReceiver", "OauthCallback"] {
        let all = permissions.iter();
        let own = all.filter(|(_, one)| one["FunctionName"] == name);
        let own: BTreeSet<_> = own.flat_map(|(_, one)| texts(&one["Action"])).collect();
        let both = "lambda:InvokeFunction lambda:InvokeFunctionUrl";
        assert_eq!(own, both.split(' ').collect(), "{name}");
    }
}

#[test]
fn a_queue_is_sent_to_only_with_its_address_and_the_right() {
    let stack = Stack::whole();
    let queues = stack.of_type("AWS::SQS::Queue");
    // Messages that a function can't handle go to its queue's dead letters.
    for (name, dead_letters) in [
        ("OauthCallback", ""),
        ("SlackReceiver", ""),
        ("Classifier", "IngressDeadLetters RunsDeadLetters"),
        ("UtilityWorker", "UtilityDeadLetters"),
        ("TeamManager", "TeamDeadLetters"),
    ] {
        let function = stack.properties(name);
        let variables = function["Environment"]["Variables"].as_object();
        let variables = variables.unwrap().iter();
        let addresses = variables.filter(|(variable, _)| variable.ends_with("_QUEUE_URL"));
        let known = addresses.map(|(_, value)| value.as_str().unwrap());
        let role = format!("{name}Role");
        let mut may: Vec<_> = queues.iter().map(|(queue, _)| *queue).collect();
        may.retain(|queue| {
            let arn = format!("{queue}.Arn");
            decide(&stack, &role, "sqs:SendMessage", &arn, &[]) == Decision::Allowed
        });
        let known: BTreeSet<_> = known.chain(dead_letters.split_whitespace()).collect();
        assert_eq!(known, may.into_iter().collect(), "{name}");
    }
}
