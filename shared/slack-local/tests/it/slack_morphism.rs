//! A second reading of Slack's API: slack-morphism's own client, its types on both sides.

use alfred_slack_local::seed::{ALFRED, ANA, ANA_DM, BEN, GENERAL, LEADERS};
use alfred_slack_local::{Fault, Options, Refusal};
use hyper_util::client::legacy::connect::HttpConnector;
use slack_morphism::errors::SlackClientError;
use slack_morphism::prelude::*;
use slack_morphism::{md, pt, slack_blocks};
use std::time::Duration;

use crate::support::{TOKEN, app, client, png, send, served, trigger};

type Session<'a> = SlackClientSession<'a, SlackClientHyperConnector<HttpConnector>>;

/// Blocks that a reader of Slack's own documentation knows, all of them.
fn known(blocks: Option<&Vec<SlackBlock>>) -> &[SlackBlock] {
    let blocks = blocks.unwrap();
    let unknown = |block: &&SlackBlock| matches!(block, SlackBlock::Unknown(_));
    assert_eq!(blocks.iter().find(unknown), None);
    blocks
}

async fn messages(session: &Session<'_>) -> SlackTs {
    let card: Vec<SlackBlock> = slack_blocks![
        SlackHeaderBlock::new(pt!("Your day")),
        SlackSectionBlock::new().with_text(md!("*Two* meetings")),
        SlackDividerBlock::new(),
        SlackContextBlock::new(slack_blocks![SlackBlockMarkDownText::new(
            "from Alfred".into()
        )]),
        SlackActionsBlock::new(slack_blocks![
            SlackBlockButtonElement::new(pt!("Approve"))
                .with_action_id("approve".into())
                .with_value("apr_1".into()),
        ]),
        SlackContextActionsBlock::new(vec![
            SlackBlockFeedbackButtonsElement::new(
                SlackFeedbackButtonItem::new(pt!("👍"), "good".into()),
                SlackFeedbackButtonItem::new(pt!("👎"), "bad".into()),
            )
            .with_action_id("feedback".into())
            .into(),
        ]),
    ];
    let metadata = SlackMessageMetadata::new("alfred_reply".into())
        .with_event_payload([("key".to_owned(), "k".to_owned())].into());
    let content = SlackMessageContent::new()
        .with_text("Your day".into())
        .with_blocks(card)
        .with_metadata(metadata.clone());
    let request = SlackApiChatPostMessageRequest::new(ANA.into(), content);
    let posted = session.chat_post_message(&request).await.unwrap();
    assert_eq!(posted.channel, ANA_DM.into());
    assert_eq!(posted.message.origin.ts, posted.ts);
    assert_eq!(posted.message.sender.user, Some(ALFRED.into()));
    assert_eq!(known(posted.message.content.blocks.as_ref()).len(), 6);

    let reply = SlackMessageContent::new().with_text("and dinner".into());
    let reply = SlackApiChatPostMessageRequest::new(posted.channel.clone(), reply)
        .with_thread_ts(posted.ts.clone());
    session.chat_post_message(&reply).await.unwrap();
    let new = SlackMessageContent::new()
        .with_text("Done".into())
        .with_blocks(slack_blocks![
            SlackSectionBlock::new().with_text(md!("_Done_"))
        ]);
    let request = SlackApiChatUpdateRequest::new(posted.channel.clone(), new, posted.ts.clone());
    let updated = session.chat_update(&request).await.unwrap();
    assert_eq!(updated.ts, posted.ts);
    assert_eq!(updated.message.content.text.as_deref(), Some("Done"));
    assert_eq!(known(updated.message.content.blocks.as_ref()).len(), 1);

    let request =
        SlackApiConversationsRepliesRequest::new(posted.channel.clone(), posted.ts.clone());
    let thread = session.conversations_replies(&request).await.unwrap();
    let texts = thread.messages.iter();
    let texts = texts.map(|m| m.content.text.as_deref().unwrap());
    assert_eq!(texts.collect::<Vec<_>>(), ["Done", "and dinner"]);
    let root = &thread.messages[0];
    assert_eq!(root.parent.reply_count, Some(1));
    let latest = thread.messages[1].origin.ts.clone();
    assert_eq!(root.parent.latest_reply, Some(latest));
    assert_eq!(root.edited.as_ref().unwrap().user, ALFRED.into());
    assert_eq!(thread.has_more, Some(false));
    let request = SlackApiConversationsHistoryRequest::new()
        .with_channel(posted.channel.clone())
        .with_limit(1)
        .with_include_all_metadata(true);
    let history = session.conversations_history(&request).await.unwrap();
    assert_eq!(history.messages[0].content.metadata, Some(metadata));
    posted.ts
}

async fn places_and_people(session: &Session<'_>) {
    let own = session.auth_test().await.unwrap();
    assert_eq!(own.user_id, ALFRED.into());
    let request = SlackApiUsersInfoRequest::new(ANA.into());
    let ana = session.users_info(&request).await.unwrap().user;
    assert_eq!(ana.tz.as_deref(), Some("Europe/Lisbon"));
    assert_eq!(ana.profile.unwrap().email, Some("ana@example.com".into()));
    let types = vec![
        SlackConversationType::Private,
        SlackConversationType::Public,
    ];
    let request = SlackApiConversationsListRequest::new()
        .with_types(types.clone())
        .with_exclude_archived(true);
    let listed = session.conversations_list(&request).await.unwrap();
    let general = listed.channels.iter().find(|c| c.id == GENERAL.into());
    assert_eq!(general.unwrap().flags.is_member, Some(true));
    let request = SlackApiUsersConversationsRequest::new()
        .with_user(BEN.into())
        .with_types(types);
    let shared = session.users_conversations(&request).await.unwrap();
    assert!(shared.channels.iter().any(|c| c.id == LEADERS.into()));
}

async fn a_picture(session: &Session<'_>) {
    let bytes = png(1200, 700);
    let request = SlackApiFilesGetUploadUrlExternalRequest::new("day.png".into(), bytes.len())
        .with_alt_txt("A day".into());
    let place = session.get_upload_url_external(&request).await.unwrap();
    // It sends the token along with the bytes, which isn't taken here.
    let address = place.upload_url.0.clone();
    let sent =
        SlackApiFilesUploadViaUrlRequest::new(place.upload_url, bytes.clone(), "image/png".into());
    let leak = session.files_upload_via_url(&sent).await.unwrap_err();
    assert!(matches!(leak, SlackClientError::HttpError(e) if e.status_code == 400));
    let sent = send(client().post(address.as_str()).body(bytes)).await;
    assert_eq!(sent.status(), 200);
    let file = SlackApiFilesComplete::new(place.file_id.clone()).with_title("Saturday".into());
    let complete = SlackApiFilesCompleteUploadExternalRequest::new(vec![file]);
    let done = session.files_complete_upload_external(&complete);
    let done = done.await.unwrap();
    assert_eq!(done.files[0].id, place.file_id);
    let look = SlackApiFilesInfoRequest::new(place.file_id.clone());
    let file = session.files_info(&look).await.unwrap().file;
    assert_eq!(file.title.as_deref(), Some("Saturday"));
    assert_eq!(file.mimetype.unwrap().0, "image/png");
    let image = SlackImageUrlOrFile::SlackFile {
        slack_file: SlackFileIdOrUrl::Id { id: place.file_id },
    };
    let content = SlackMessageContent::new()
        .with_blocks(slack_blocks![SlackImageBlock::new(image, "A day".into())]);
    let request = SlackApiChatPostMessageRequest::new(GENERAL.into(), content);
    let shown = session.chat_post_message(&request).await.unwrap();
    known(shown.message.content.blocks.as_ref());
}

async fn a_modal(session: &Session<'_>, trigger: &str) {
    let body = SlackInputBlock::new(
        pt!("Body"),
        SlackBlockPlainTextInputElement::new()
            .with_action_id("text".into())
            .into(),
    );
    let modal = SlackModalView::new(pt!("Edit"), slack_blocks![body])
        .with_callback_id("edit".into())
        .with_external_id("apr_1.1".into())
        .with_submit(pt!("Save"));
    let request = SlackApiViewsOpenRequest::new(trigger.into(), SlackView::Modal(modal.clone()));
    let opened = session.views_open(&request).await.unwrap().view;
    let request = SlackApiViewsUpdateRequest::new(SlackView::Modal(modal.with_title(pt!("Again"))))
        .with_view_id(opened.state_params.id.clone())
        .with_hash(opened.state_params.hash.clone());
    let updated = session.views_update(&request).await.unwrap().view;
    assert_eq!(updated.state_params.id, opened.state_params.id);
    assert_ne!(updated.state_params.hash, opened.state_params.hash);
    let SlackView::Modal(modal) = updated.view else {
        panic!("a modal");
    };
    assert_eq!(modal.title, pt!("Again"));
    assert_eq!(modal.submit, Some(pt!("Save")));
    known(Some(&modal.blocks));
}

async fn a_status(session: &Session<'_>, thread: SlackTs) {
    let (channel, text) = (SlackChannelId::from(ANA_DM), "is thinking…".into());
    let status =
        SlackApiAssistantThreadsSetStatusRequest::new(channel.clone(), text, thread.clone());
    session.assistant_threads_set_status(&status).await.unwrap();
    let status = SlackApiAgentsSessionsSetStatusRequest::new(SlackAgentSessionStatus::Active)
        .with_channel_id(channel)
        .with_thread_ts(thread);
    let set = session.agents_sessions_set_status(&status).await.unwrap();
    assert_eq!(set.status, Some(SlackAgentSessionStatus::Active));
}

#[tokio::test]
async fn another_client_reads_the_api_as_slack_has_it() {
    let app = app([]).await;
    let options = Options {
        request_url: Some(app.uri()),
        ..Options::default()
    };
    let (running, _) = served(options).await;
    let connector = SlackClientHyperConnector::with_connector(HttpConnector::new());
    let client = SlackClient::new(connector.with_slack_api_url(&running.api_url()));
    let token = SlackApiToken::new(TOKEN.into());
    let session = client.open_session(&token);

    places_and_people(&session).await;
    let card = messages(&session).await;
    a_status(&session, card).await;
    a_picture(&session).await;
    let content = SlackMessageContent::new().with_text("psst".into());
    let whisper = SlackApiChatPostEphemeralRequest::new(GENERAL.into(), BEN.into(), content);
    session.chat_post_ephemeral(&whisper).await.unwrap();
    let command = running.slack.command(ANA, ANA_DM, "/alfred", "edit");
    command.await.unwrap();
    a_modal(&session, &trigger(&app).await).await;
    let limited = Fault::Error(Refusal::RateLimited(7));
    running.slack.fail_next("auth.test", 1, limited);
    let limited = session.auth_test().await.unwrap_err();
    let wait = Some(Duration::from_secs(7));
    assert!(matches!(limited, SlackClientError::RateLimitError(e) if e.retry_after == wait));
}
