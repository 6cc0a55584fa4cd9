//! Whole flows over ports in memory: from an envelope to the answer, with
//! faults at every call.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed assertion"
)]

mod accounts;
mod approvals;
mod attached;
mod attacks;
mod audit;
mod cards;
mod carried;
mod chain;
mod changes;
mod chats;
mod choosing;
mod clock;
mod commands;
mod connecting;
mod conversations;
mod crashes;
mod damaged;
mod delegation;
mod direct;
mod documents;
mod effects;
mod elsewhere;
mod every_card;
mod everyday;
mod examples;
mod files;
mod focus;
mod follow_ups;
mod golden;
mod habits;
mod handed_on;
mod honest;
mod in_words;
mod interpreting;
mod links;
mod looked_at;
mod mail;
mod mail_out;
mod mailed_files;
mod mcp;
mod meetings;
mod members;
mod model;
mod moments;
mod named;
mod notices;
mod own_words;
mod passing_on;
mod pen;
mod pictures;
mod plan_limits;
mod plans;
mod progress;
mod prompt_size;
mod proposals;
mod proposing;
mod public;
mod refusals;
mod remarks;
mod replies;
mod resumed;
mod scripts;
mod sentences;
mod skills;
mod small_contexts;
mod stops;
mod taint;
mod team_contract;
mod teams;
mod timers;
mod tools;
mod toolsets;
mod triage;
mod turns;
mod two_models;
mod undoing;
mod unfounded;
mod unseen_undo;
mod watchdog;
mod web;
mod workflows;
mod world;
