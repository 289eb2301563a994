//! The consent page itself.

use maud::{Markup, html};
use serde_json::Value;
use url::Url;
use vitrine_engine::catalog::Catalog;
use vitrine_engine::declaration::Stream;
use vitrine_engine::grant::Selection;
use vitrine_engine::oauth::ceremony::{Ceremony, Reply};
use vitrine_engine::oauth::client::Standing;
use vitrine_engine::oauth::offer::{Lasting, Offer, Offered};
use vitrine_engine::oauth::preview::{SAMPLE_CHARS, StreamPreview};

use super::chart;
use super::choice::{Ticked, field_box, grant_box, stream_box};
use crate::pages::layout::token_field;
use crate::pages::visitor::Visitor;
use crate::pages::words;

/// Everything the page shows.
pub(super) struct View<'a> {
    pub(super) visitor: &'a Visitor,
    pub(super) action: String,
    pub(super) ceremony: &'a Ceremony,
    pub(super) offer: &'a Offer,
    pub(super) catalog: &'a Catalog,
    pub(super) ticked: &'a Ticked,
    pub(super) revision: &'a str,
    pub(super) previews: &'a [(String, Vec<StreamPreview>)],
    pub(super) problem: Option<&'a str>,
}

impl View<'_> {
    pub(super) fn render(&self) -> Markup {
        let name = &self.ceremony.client.name;
        html! {
            h1 { q .claim { (name) } " asks to read your records" }
            @if let Some(problem) = self.problem { p .error role="alert" { (problem) } }
            (self.who())
            form method="post" action=(self.action) {
                (token_field(self.visitor))
                input type="hidden" name="revision" value=(self.revision);
                // First in the form, so that the Enter key looks and does not decide.
                button .visually-hidden type="submit" name="decision" value="preview" tabindex="-1" { "Update preview" }
                h2 { "What it may read" }
                p .hint { "Untick what it should not see, then update the preview. The figures and rows below are what this grant would disclose." }
                @if self.offer.items.len() > 1 {
                    button .quiet type="submit" name="decision" value="none" { "Untick all connections" }
                }
                @if self.offer.items.is_empty() {
                    p .note { "There is no connection to choose from yet." }
                }
                @for item in &self.offer.items { (self.connection(item)) }
                (self.terms())
                (self.training())
                div .actions {
                    button .primary type="submit" name="decision" value="allow" { "Allow" }
                    button type="submit" name="decision" value="preview" { "Update preview" }
                    button type="submit" name="decision" value="deny" { "Refuse" }
                }
            }
        }
    }

    fn who(&self) -> Markup {
        let client = &self.ceremony.client;
        let mut purposes: Vec<&str> = self.offer.items.iter().map(|item| item.grant.purpose_code.as_str()).collect();
        purposes.dedup();
        html! {
            section .card aria-label="Who asks" {
                dl {
                    dt { "Who" }
                    dd {
                        @match (client.verified_host(), client.standing) {
                            (Some(host), _) => { span .badge.good { "verified" } " It describes itself at " strong { (host) } "." },
                            (None, Standing::Unread) => {
                                span .badge.warn { "not verified" } " It says it is described at " q .claim { (client.client_id) }
                                ", which could not be reached. Go on only if you started this yourself."
                            },
                            (None, _) => {
                                span .badge.warn { "not verified" } " Anybody can register under this name. Go on only if you started this yourself."
                            },
                        }
                        @if let Some(uri) = &client.uri { br; "It says it lives at " q .claim { (uri) } }
                    }
                    dt { "Purpose" }
                    dd {
                        @for code in &purposes {
                            @match words::purpose(code) {
                                Some(purpose) => span { (purpose) ". " },
                                None => span { "in its own words: " q .claim { (code) } " " },
                            }
                        }
                    }
                    dt { "Answer goes to" }
                    dd { (self.destination()) }
                }
            }
        }
    }

    fn destination(&self) -> Markup {
        let Reply::Redirect { redirect_uri, .. } = &self.ceremony.reply else {
            return html! { "the device that showed you the code" };
        };
        let url = Url::parse(redirect_uri).ok();
        let host = url.as_ref().and_then(Url::host_str);
        html! {
            @match host {
                Some("localhost" | "127.0.0.1" | "[::1]") => { "a program on " strong { "this computer" } },
                Some(host) => strong { (host) },
                None => code { (url.as_ref().map_or("an app", |url| url.scheme())) },
            }
        }
    }

    fn connection(&self, item: &Offered) -> Markup {
        let Some(connection) = self.catalog.connection(&item.connection_id) else { return Markup::default() };
        let seen = self.previews.iter().find(|(key, _)| *key == item.key).map(|(_, streams)| streams.as_slice());
        let records: u64 = seen.unwrap_or_default().iter().map(|stream| stream.records).sum();
        let name = grant_box(&item.key);
        html! {
            fieldset .card {
                legend {
                    label .pick {
                        input type="checkbox" name=(name) checked[self.ticked.has(&name)];
                        span { (connection.display_name) }
                    }
                }
                p .hint {
                    (connection.source.declaration.display_name) " · "
                    @if seen.is_some() { (words::count(records, "record", "records")) " disclosed" } @else { "nothing disclosed" }
                }
                @for selection in &item.grant.streams {
                    @if let Some(declared) = connection.stream(&selection.name) {
                        @let preview = seen.and_then(|streams| streams.iter().find(|s| s.stream == selection.name));
                        (self.stream(item, selection, declared, preview))
                    }
                }
            }
        }
    }

    fn stream(&self, item: &Offered, selection: &Selection, declared: &Stream, seen: Option<&StreamPreview>) -> Markup {
        let name = stream_box(&item.key, &selection.name);
        let granted = seen.map_or(0, |seen| seen.fields.iter().filter(|(_, granted)| *granted).count());
        html! {
            div .stream {
                div .split {
                    label .pick {
                        input type="checkbox" name=(name) checked[self.ticked.has(&name)];
                        span { (declared.label.as_deref().unwrap_or(&selection.name)) }
                    }
                    @match seen {
                        Some(seen) => span .number { (words::count(seen.records, "record", "records")) },
                        None => span .hint { "not disclosed" },
                    }
                }
                @if let Some(text) = declared.detail.as_deref().or(declared.description.as_deref()) { p .hint { (text) } }
                (asked_limits(selection))
                @if let Some(histogram) = seen.and_then(|seen| seen.histogram.as_ref()) { (chart::bars(histogram)) }
                details {
                    summary { (granted) " of " (words::count(declared.fields.len() as u64, "field", "fields")) }
                    div .fields { (self.fields(item, selection, declared)) }
                }
                @if let Some(seen) = seen.filter(|seen| !seen.samples.is_empty()) {
                    details { summary { "Sample rows" } (samples(seen)) }
                }
            }
        }
    }

    fn fields(&self, item: &Offered, selection: &Selection, declared: &Stream) -> Markup {
        html! {
            @for field in &declared.fields {
                @let asked = selection.fields.contains(&field.name);
                @let fixed = declared.required.contains(&field.name) || !declared.select_fields;
                @let name = field_box(&item.key, &selection.name, &field.name);
                label .pick {
                    @if !asked {
                        input type="checkbox" disabled;
                        span .hint { (field.name) " (not asked for)" }
                    } @else if fixed {
                        // A disabled box is not sent, so what goes with it is sent beside it.
                        input type="hidden" name=(name) value="on";
                        input type="checkbox" checked disabled;
                        span { (field.name) " " span .hint { "(always)" } }
                    } @else {
                        input type="checkbox" name=(name) checked[self.ticked.has(&name)];
                        span { (field.name) }
                    }
                }
            }
        }
    }

    fn terms(&self) -> Markup {
        let once = self.offer.everything().lasting == Lasting::Once;
        html! {
            fieldset .card {
                legend { "When and for how long" }
                div .columns {
                    div {
                        label for="since" { "Only from this day on" }
                        input #since type="date" name="since" value=(self.ticked.since);
                    }
                    div {
                        label for="until" { "Only before this day" }
                        input #until type="date" name="until" value=(self.ticked.until);
                    }
                }
                p .hint { "Streams without a date are not limited by it. Days begin at midnight, UTC." }
                label for="lasting" { "How long it may read" }
                select #lasting name="lasting" {
                    @for choice in Lasting::ALL {
                        @if !once || choice == Lasting::Once {
                            option value=(choice.as_str()) selected[choice == self.ticked.lasting] { (words::lasting(choice)) }
                        }
                    }
                }
            }
        }
    }

    fn training(&self) -> Markup {
        if !self.offer.trains() {
            return Markup::default();
        }
        html! {
            fieldset .card.warn {
                legend { "Training" }
                p { "This client says it will train AI models with what it reads. A model cannot forget what it was trained with, so ending the grant will not undo that." }
                label .pick {
                    input type="checkbox" name="training" checked[self.ticked.training];
                    span { "Yes, it may train AI models with these records" }
                }
            }
        }
    }
}

/// What the client itself has limited.
fn asked_limits(selection: &Selection) -> Markup {
    html! {
        @if let Some(span) = &selection.time_constraint {
            p .hint {
                "Asked for"
                @if let Some(since) = &span.since { " from " (words::day(since)) }
                @if let Some(until) = &span.until { " before " (words::day(until)) }
                " only"
            }
        }
        @if let Some(resources) = &selection.resources {
            p .hint { "Asked for " (words::count(resources.len() as u64, "single record", "single records")) " only" }
        }
    }
}

/// Rows as they would be disclosed; withheld fields are blank.
fn samples(seen: &StreamPreview) -> Markup {
    html! {
        div .scroll tabindex="0" role="region" aria-label=(format!("Sample rows of {}", seen.stream)) {
            table .samples {
                thead { tr {
                    @for (name, granted) in &seen.fields {
                        th scope="col" .withheld[!granted] { (name) @if !granted { span .visually-hidden { " (withheld)" } } }
                    }
                } }
                tbody {
                    @for row in &seen.samples {
                        tr {
                            @for (value, (_, granted)) in row.iter().zip(&seen.fields) {
                                td .withheld[!granted] { (value.as_ref().map(short).unwrap_or_default()) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let limit = SAMPLE_CHARS as usize;
    if text.chars().count() < limit { text } else { text.chars().take(limit - 1).chain(['…']).collect() }
}
