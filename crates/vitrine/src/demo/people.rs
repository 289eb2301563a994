//! Who is who. Everybody is invented, and every address ends in a domain that cannot exist.

/// The person whose records these are.
pub(crate) const NORA: Person =
    Person { name: "Nora Lindgren", mail: "nora.lindgren@mail.example", role: "data engineer at Fathom Tide, Hamburg" };

/// Nora's address at work.
pub(crate) const NORA_AT_WORK: Person =
    Person { name: "Nora Lindgren", mail: "nora@fathomtide.example", role: "data engineer" };

/// Somebody with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) name: &'static str,
    pub(crate) mail: &'static str,
    pub(crate) role: &'static str,
}

impl Person {
    const fn new(name: &'static str, mail: &'static str, role: &'static str) -> Self {
        Self { name, mail, role }
    }

    /// What friends and colleagues say.
    pub(crate) fn first_name(&self) -> &'static str {
        self.name.split(' ').next().unwrap_or(self.name)
    }
}

/// Somebody with whom Nora writes about certain things.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Friend {
    pub(crate) person: Person,
    /// Rules of the grammar.
    pub(crate) topics: &'static [&'static str],
}

const fn friend(name: &'static str, mail: &'static str, role: &'static str, topics: &'static [&'static str]) -> Friend {
    Friend { person: Person::new(name, mail, role), topics }
}

/// Family and friends who write in English, closest first.
pub(crate) const FRIENDS: [Friend; 9] = [
    friend("Tom Whitlock", "tom.whitlock@post.example", "partner; teaches physics", &["dinner", "flat", "health"]),
    friend("Jonas Lindgren", "jonas@lindgren.example", "brother; carpenter in Malmö", &["boat", "visit", "job"]),
    friend("Priya Raman", "priya.raman@post.example", "best friend since university", &["books", "job", "health"]),
    friend("Per Lindgren", "per@lindgren.example", "father; retired ferry captain", &["boat", "visit"]),
    friend("Ewa Kowalska", "ewa.k@post.example", "choir friend", &["choir", "dinner", "allotment"]),
    friend("Mateo Silva", "mateo@silva.example", "climbing partner", &["climbing", "health", "job"]),
    friend("Svenja Brandt", "svenja.brandt@post.example", "neighbour on the second floor", &["flat", "allotment"]),
    friend("Lucía Ferrer", "lucia.ferrer@correo.example", "old flatmate, now in Valencia", &["visit", "dinner"]),
    friend("Haruka Mori", "haruka.mori@tegami.example", "exchange friend from Kyoto", &["visit", "books"]),
];

/// Colleagues, those Nora works with most first.
pub(crate) const COLLEAGUES: [Person; 11] = [
    Person::new("Marcus Okafor", "marcus@fathomtide.example", "engineering lead"),
    Person::new("Felix Baumann", "felix@fathomtide.example", "backend engineer"),
    Person::new("Hannah Voss", "hannah@fathomtide.example", "product manager"),
    Person::new("Samir Nasser", "samir@fathomtide.example", "data scientist"),
    Person::new("Yuki Tanaka", "yuki@fathomtide.example", "sensor hardware"),
    Person::new("Grace Mwangi", "grace@fathomtide.example", "field operations"),
    Person::new("Noor El-Amin", "noor@fathomtide.example", "designer"),
    Person::new("Clara Domínguez", "clara@fathomtide.example", "customer success"),
    Person::new("Anton Reuter", "anton@fathomtide.example", "finance"),
    Person::new("Ines Albrecht", "ines@fathomtide.example", "managing director"),
    Person::new("Olaf Jensen", "olaf@fathomtide.example", "workshop and boats"),
];

/// Customers and partners of Fathom Tide.
pub(crate) const CUSTOMERS: [Person; 4] = [
    Person::new("Pieter de Wit", "p.dewit@zeelandport.example", "operations, Port of Zeeland"),
    Person::new("Rosa Marchetti", "marchetti@laguna.example", "Venice lagoon authority"),
    Person::new("Karl Sommer", "sommer@sommer-recht.example", "lawyer"),
    Person::new("Aoife Brennan", "aoife@corkharbour.example", "harbour master's office, Cork"),
];
