//! Vitrine as it is found on a machine.

use super::{Platform, Reach, Recommendation, command_line};

/// The program and the store of a machine, for clients that run there too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Here {
    /// Where the program is, absolutely: clients do not search for it.
    pub program: String,
    /// What a person types to start it: its name where the shell finds it by that, else where it is.
    pub typed: String,
    /// The store's directory, where it is not the default one.
    pub data_dir: Option<String>,
    /// What kind of machine it is.
    pub platform: Platform,
}

impl Here {
    /// How a client starts Vitrine; a grant is named where several are active.
    pub fn reach(&self, grant: Option<&str>) -> Reach {
        let mut args = vec!["mcp".to_owned()];
        for (flag, value) in [("--data-dir", self.data_dir.as_deref()), ("--grant", grant)] {
            args.extend(value.into_iter().flat_map(|value| [flag.to_owned(), value.to_owned()]));
        }
        Reach::Command { program: self.program.clone(), args }
    }

    /// A command of Vitrine's about this store, as it is typed.
    pub fn command<W: AsRef<str>>(&self, words: &[W]) -> String {
        let mut line = vec![self.typed.as_str()];
        line.extend(words.iter().map(AsRef::as_ref));
        line.extend(self.data_dir.iter().flat_map(|directory| ["--data-dir", directory]));
        command_line(&line, self.platform)
    }

    /// What to type to connect a client, with the flags that were chosen, unless it takes more than typing.
    pub fn way(&self, recommended: &Recommendation, chosen: &[&str]) -> Option<String> {
        let ours = || self.command(&[&["setup", recommended.client.key(), "--write"], chosen].concat());
        recommended.command.clone().or_else(|| recommended.entry.is_some().then(ours))
    }
}

impl Default for Here {
    /// A program on the search path, and its store in the default place.
    fn default() -> Self {
        Self { program: "vitrine".to_owned(), typed: "vitrine".to_owned(), data_dir: None, platform: Platform::Linux }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Client, recommend};
    use super::*;

    #[test]
    fn another_store_is_named_in_every_command() {
        let mut here = Here::default();
        assert_eq!(
            here.command(&["grant", "create", "--client", "VS Code"]),
            "vitrine grant create --client 'VS Code'"
        );
        here.data_dir = Some("/srv/my records".to_owned());
        assert_eq!(here.command(&["serve"]), "vitrine serve --data-dir '/srv/my records'");
        let args = ["mcp", "--data-dir", "/srv/my records", "--grant", "grt_1"].map(str::to_owned).to_vec();
        assert_eq!(here.reach(Some("grt_1")), Reach::Command { program: "vitrine".to_owned(), args });
    }

    #[test]
    fn a_program_that_the_shell_does_not_find_is_typed_with_its_path() {
        let here = Here { typed: "/my tools/vitrine".to_owned(), ..Here::default() };
        assert_eq!(here.command(&["serve"]), "'/my tools/vitrine' serve");
        let zed = recommend(Client::Zed, &here.reach(None), &here);
        assert_eq!(here.way(&zed, &[]).unwrap(), "'/my tools/vitrine' setup zed --write");
        let steps = recommend(Client::ChatGpt, &here.reach(None), &here).steps.join(" ");
        assert_eq!(steps.matches("`'/my tools/vitrine' ").count(), 2, "{steps}");
    }
}
