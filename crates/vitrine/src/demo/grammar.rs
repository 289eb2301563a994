//! Prose from rules. A rule is a section of a text file with one way to say it on each line; `{name}` in a
//! line is said by the rule of that name, `{3-20}` is a number, and `¶` ends a line of the result.

use std::collections::HashMap;

use super::dice::Dice;

/// What is known already and need not be made up.
pub(crate) type Given<'a> = &'a [(&'a str, &'a str)];

/// Rules by name.
pub(crate) struct Grammar {
    rules: HashMap<&'static str, Vec<&'static str>>,
}

impl Grammar {
    /// Reads the sections of several texts.
    pub(crate) fn of(texts: &[&'static str]) -> Self {
        let mut rules: HashMap<_, Vec<_>> = HashMap::new();
        let mut name = "";
        for line in texts.iter().flat_map(|text| text.lines()).map(str::trim).filter(|line| !line.is_empty()) {
            match line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                Some(section) => name = section,
                None => rules.entry(name).or_default().push(line),
            }
        }
        Self { rules }
    }

    /// The lines of a rule, as they are written.
    pub(crate) fn lines(&self, rule: &str) -> &[&'static str] {
        self.rules.get(rule).map(Vec::as_slice).unwrap_or_default()
    }

    /// Says a rule in one of its ways.
    pub(crate) fn say(&self, dice: &mut Dice, rule: &str, given: Given<'_>) -> String {
        let mut said = String::with_capacity(160);
        self.say_rule(dice, rule, given, &mut said);
        said
    }

    /// Says a line that stands outside the rules.
    pub(crate) fn fill(&self, dice: &mut Dice, line: &str, given: Given<'_>) -> String {
        let mut said = String::with_capacity(line.len() * 2);
        self.say_line(dice, line, given, &mut said);
        said
    }

    /// Says a rule several times without saying the same line twice, as far as its lines last.
    pub(crate) fn several(&self, dice: &mut Dice, rule: &str, times: usize, given: Given<'_>) -> Vec<String> {
        let lines = self.lines(rule);
        let (start, step) = (dice.below(lines.len()), if lines.len().is_multiple_of(7) { 1 } else { 7 });
        let chosen = (0..times.min(lines.len())).map(|turn| lines[(start + turn * step) % lines.len()]);
        chosen.map(|line| self.fill(dice, line, given)).collect()
    }

    fn say_rule(&self, dice: &mut Dice, rule: &str, given: Given<'_>, said: &mut String) {
        let lines = self.lines(rule);
        if !lines.is_empty() {
            let line: &str = dice.pick::<&str>(lines);
            self.say_line(dice, line, given, said);
        }
    }

    fn say_line(&self, dice: &mut Dice, line: &str, given: Given<'_>, said: &mut String) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once('{') {
            push_text(before, said);
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            if let Some((_, text)) = given.iter().find(|(known, _)| *known == name) {
                said.push_str(text);
            } else if let Some((low, high)) = bounds(name) {
                said.push_str(&dice.between(low, high).to_string());
            } else {
                self.say_rule(dice, name, given, said);
            }
            rest = after;
        }
        push_text(rest, said);
    }
}

fn bounds(name: &str) -> Option<(i64, i64)> {
    let (low, high) = name.split_once('-')?;
    Some((low.parse().ok()?, high.parse().ok()?))
}

fn push_text(text: &str, said: &mut String) {
    if text.contains('¶') {
        said.extend(text.chars().map(|c| if c == '¶' { '\n' } else { c }));
    } else {
        said.push_str(text);
    }
}

#[cfg(test)]
impl Grammar {
    /// Names that lines use and neither a rule nor a caller explains.
    pub(crate) fn unexplained(&self, given: &[&str]) -> Vec<String> {
        let names = self.rules.values().flatten().flat_map(|line| line.split('{').skip(1));
        let names = names.filter_map(|rest| rest.split('}').next());
        let unknown = |name: &&str| !given.contains(name) && bounds(name).is_none() && !self.rules.contains_key(*name);
        names.filter(unknown).map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_call_each_other_and_what_is_given_comes_first() {
        let grammar = Grammar::of(&["[hello]\nDear {name},¶{middle} {7-7}\n[middle]\nfor {name}\n[name]\nNobody"]);
        assert_eq!(grammar.say(&mut Dice::named("a"), "hello", &[("name", "Ada")]), "Dear Ada,\nfor Ada 7");
        assert_eq!(grammar.say(&mut Dice::named("a"), "middle", &[]), "for Nobody");
    }

    #[test]
    fn several_lines_differ() {
        let grammar = Grammar::of(&["[a]\n1\n2\n3\n4\n5"]);
        let mut lines = grammar.several(&mut Dice::named("a"), "a", 9, &[]);
        lines.sort();
        assert_eq!(lines, ["1", "2", "3", "4", "5"]);
    }
}
