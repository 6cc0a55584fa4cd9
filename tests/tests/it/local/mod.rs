//! The local process from outside: the binary `alfred` as a user has it, and
//! what is left of its work after SIGKILL.

mod accounts;
mod ask;
mod attached;
mod audit;
mod broken_models;
mod browser;
mod chat;
mod cli;
mod commands;
mod connections;
mod damaged;
mod demo;
mod google;
mod kill_run;
mod kills;
mod links;
mod model;
mod page;
mod people;
mod process;
mod puppet;
mod raw;
mod routes;
mod scene;
mod servers;
mod stories;
mod terminal;
mod tools;
mod unasked;
mod unreadable;
mod web;
mod worker_files;
mod worker_models;
mod worker_tools;
