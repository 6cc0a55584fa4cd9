//! The phrases by which mails are told apart, in English and German, set apart by commas. All are matched as
//! whole words in lower case. What they miss, a model that reads the mail can say.

use crate::whole_words::stands_in;

/// Asks for an answer.
pub(super) const REPLY: &str = "\
    can you, could you, would you, will you, are you able, do you, did you, have you, what do you think, \
    let me know, please reply, please respond, please confirm, please advise, get back to me, your thoughts, \
    your opinion, your feedback, looking forward to your, awaiting your, rsvp, any update, \
    können sie, könnten sie, kannst du, könntest du, würden sie, würdest du, haben sie, hast du, geben sie bescheid, \
    gib bescheid, sag bescheid, lass mich wissen, um antwort, um rückmeldung, um bestätigung, bitte antworten, \
    bitte bestätigen, was meinst du, was meinen sie";

/// Asks for something to be done.
pub(super) const TASK: &str = "\
    deadline, due, due by, due date, by end of day, by eod, by cob, eod, by monday, by tuesday, by wednesday, \
    by thursday, by friday, by tomorrow, by tonight, by next week, to do, to-do, todo, action item, action items, \
    action required, action needed, need you to, needs to be, you need to, please prepare, please review, please send, \
    please complete, please update, please submit, please finish, please sign, please approve, please fill, \
    follow up on, make sure, don't forget, remember to, \
    frist, fällig, spätestens, bis morgen, bis heute, bis ende der woche, bis montag, bis dienstag, bis mittwoch, \
    bis donnerstag, bis freitag, bitte senden, bitte schicken, bitte prüfen, bitte unterschreiben, bitte ausfüllen, \
    bitte freigeben, bitte erledigen, zu erledigen, denk daran, denken sie daran, nicht vergessen";

/// Informs.
pub(super) const INFORMATION: &str = "\
    fyi, for your information, for your records, update, updates, announcement, announcing, heads up, heads-up, \
    just letting you know, status report, minutes of, summary, recap, no action needed, no reply needed, \
    zur info, zur information, zur kenntnis, ankündigung, protokoll, zusammenfassung, nur zur";

/// Says of itself that it is urgent.
pub(super) const URGENT: &str = "\
    urgent, urgently, asap, as soon as possible, immediately, emergency, critical, time-sensitive, time sensitive, \
    dringend, eilt, eilig, sofort, umgehend, unverzüglich, schnellstmöglich, so schnell wie möglich";

/// Somebody complains, or something follows where nothing is done.
pub(super) const CONSEQUENCE: &str = "\
    audit, auditor, auditors, complaint, complaints, complain, unacceptable, disappointed, dissatisfied, damaged, \
    defective, arrived broken, is broken, are broken, never arrived, not arrived, hasn't arrived, wrong item, refund, \
    lawyer, lawyers, legal action, lawsuit, penalty, penalties, late fee, breach, lapse, lapses, formal notice, \
    final notice, final reminder, last reminder, terminate, cancel our contract, cancel the contract, escalate, escalation, \
    beschwerde, beschweren, reklamation, reklamieren, mangelhaft, beschädigt, gebrochen, defekt, kaputt, unvollständig, \
    inakzeptabel, enttäuscht, nicht angekommen, erstattung, rückerstattung, anwalt, rechtsanwalt, rechtliche schritte, \
    vertragsstrafe, verzug, mahnung, kündigen, kündigung, betriebsprüfung, steuerprüfung, wirtschaftsprüfer, andernfalls, \
    eskalieren";

/// What a date is a deadline behind.
pub(super) const DUE: &str = "\
    by, before, due, deadline, expires, expire, expiring, within, latest, \
    bis, spätestens, vor, fällig, frist, läuft, innerhalb, binnen";

/// Automated, but nothing that may vanish unread.
pub(super) const IMPORTANT: &str = "\
    security alert, suspicious, new sign-in, password, verification code, payment failed, payment declined, invoice, \
    overdue, past due, final notice, account suspended, account will be, will expire, expires, expiring, cancelled, \
    canceled, outage, incident, contract, legal notice, tax, action required, deadline, delivery failed, undeliverable, \
    sicherheitswarnung, neue anmeldung, passwort, kennwort, rechnung, mahnung, überfällig, gesperrt, läuft ab, abgesagt, \
    storniert, ausfall, störung, vertrag, steuer, frist, unzustellbar";

/// Asks for a secret, or for money on another way than before.
pub(super) const BAIT: &str = "\
    confirm your password, verify your password, keep your password, confirm your account, verify your account, \
    validate your account, unlock your account, verify your identity, your credentials, mailbox is full, \
    mailbox has reached, update your payment, new bank account, new bank details, change of bank, changed our bank, \
    bank details have changed, wire transfer, gift card, gift cards, \
    passwort bestätigen, kennwort bestätigen, konto bestätigen, konto verifizieren, bestätigen sie ihr passwort, \
    bestätigen sie ihr kennwort, bestätigen sie ihr konto, bestätige dein passwort, bestätige dein konto, \
    zugangsdaten, postfach ist voll, neue bankverbindung, geänderte bankverbindung, geschenkkarten, gutscheinkarten";

/// Leaves no time to think, beside what is urgent.
pub(super) const HURRY: &str = "\
    within 24 hours, within 48 hours, in 24 hours, today, right away, will be suspended, will be closed, will be deleted, \
    will be locked, has been suspended, action required, \
    innerhalb von 24 stunden, innerhalb von 48 stunden, noch heute, wird gesperrt, wurde gesperrt, wird gelöscht";

/// Local parts of addresses that no person writes from.
pub(super) const AUTOMATED_SENDERS: &str = "\
    noreply, no-reply, no_reply, donotreply, do-not-reply, do_not_reply, keine-antwort, nicht-antworten, notification, \
    notifications, newsletter, newsletters, mailer-daemon, postmaster, mailer, automated, auto-confirm, bounce, bounces, \
    alerts, digest, updates, marketing, promo, promotions, news";

/// The phrases of a list, in its order.
pub(super) fn each(phrases: &str) -> impl Iterator<Item = &str> {
    phrases.split(',').map(str::trim)
}

/// The first phrase of the list that stands in the text as whole words. The text is in lower case.
pub(super) fn find(text: &str, phrases: &'static str) -> Option<&'static str> {
    each(phrases).find(|phrase| stands_in(text, phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_could_be_found() {
        for list in [
            REPLY,
            TASK,
            INFORMATION,
            URGENT,
            CONSEQUENCE,
            DUE,
            IMPORTANT,
            BAIT,
            HURRY,
            AUTOMATED_SENDERS,
        ] {
            let mut seen = std::collections::BTreeSet::new();
            for phrase in each(list) {
                assert!(find(&format!("({phrase}) "), list).is_some(), "{phrase}");
                let plain = phrase.to_lowercase() == phrase && !phrase.contains("  ");
                assert!(plain && !phrase.is_empty(), "{phrase:?}");
                assert!(seen.insert(phrase), "{phrase} twice");
            }
        }
    }
}
