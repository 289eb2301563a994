//! What is ticked in the form, and what it means.

use std::collections::{BTreeMap, BTreeSet};

use vitrine_engine::oauth::offer::{Choices, Lasting, Offer};

/// Names no declared field can collide with: keys and streams hold no `/`, and a field is the rest.
pub(super) fn grant_box(key: &str) -> String {
    format!("c/{key}")
}

pub(super) fn stream_box(key: &str, stream: &str) -> String {
    format!("s/{key}/{stream}")
}

pub(super) fn field_box(key: &str, stream: &str, field: &str) -> String {
    format!("f/{key}/{stream}/{field}")
}

/// The form as the owner left it.
#[derive(Debug, Clone, Default)]
pub(super) struct Ticked {
    boxes: BTreeSet<String>,
    pub(super) since: String,
    pub(super) until: String,
    pub(super) lasting: Lasting,
    pub(super) training: bool,
}

impl Ticked {
    /// Everything on offer.
    pub(super) fn everything(offer: &Offer) -> Self {
        let mut boxes = BTreeSet::new();
        for item in &offer.items {
            boxes.insert(grant_box(&item.key));
            for selection in &item.grant.streams {
                boxes.insert(stream_box(&item.key, &selection.name));
                boxes.extend(selection.fields.iter().map(|field| field_box(&item.key, &selection.name, field)));
            }
        }
        Self { boxes, lasting: offer.everything().lasting, ..Self::default() }
    }

    /// What was sent.
    pub(super) fn read(pairs: &[(String, String)]) -> Self {
        let mut ticked = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                "since" => ticked.since.clone_from(value),
                "until" => ticked.until.clone_from(value),
                "lasting" => ticked.lasting = Lasting::parse(value).unwrap_or_default(),
                "training" => ticked.training = true,
                name if name.starts_with(['c', 's', 'f']) && name.get(1..2) == Some("/") => {
                    ticked.boxes.insert(name.to_owned());
                }
                _ => {}
            }
        }
        ticked
    }

    /// With no connection picked, and the rest as it was.
    pub(super) fn without_picks(mut self) -> Self {
        self.boxes.retain(|name| !name.starts_with("c/"));
        self
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.boxes.contains(name)
    }

    /// What the owner has picked: fields of picked streams of picked connections.
    pub(super) fn choices(&self) -> Choices {
        let mut picked: BTreeMap<String, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for name in &self.boxes {
            let mut parts = name.splitn(4, '/');
            let (kind, key) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
            let stream = parts.next().unwrap_or_default();
            if !self.has(&grant_box(key)) || kind == "c" || !self.has(&stream_box(key, stream)) {
                continue;
            }
            let fields = picked.entry(key.to_owned()).or_default().entry(stream.to_owned()).or_default();
            fields.extend(parts.next().map(str::to_owned));
        }
        let day = |text: &String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Choices {
            picked,
            since: day(&self.since),
            until: day(&self.until),
            lasting: self.lasting,
            training: self.training,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_counts_only_under_ticked_ones() {
        let sent = ["c/a", "s/a/x", "f/a/x/id", "f/a/x/odd/name", "f/a/y/id", "s/b/x", "f/b/x/id", "c/c", "s/c/z"];
        let pairs: Vec<_> = sent.iter().map(|name| ((*name).to_owned(), "on".to_owned())).collect();
        let choices = Ticked::read(&pairs).choices();
        let fields = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(choices.picked.keys().collect::<Vec<_>>(), ["a", "c"]);
        assert_eq!(choices.picked["a"], BTreeMap::from([("x".to_owned(), fields(&["id", "odd/name"]))]));
        assert_eq!(choices.picked["c"], BTreeMap::from([("z".to_owned(), fields(&[]))]));
    }
}
