//! Who is who. Everybody is invented, and every address ends in a domain that cannot exist.

/// The person whose records these are.
pub(crate) const NORA: Person = Person {
    name: "Nora Lindgren",
    mail: "nora.lindgren@mail.example",
    role: "data engineer at Fathom Tide, Hamburg",
};

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

/// Family and friends who write in English, closest first.
pub(crate) const FRIENDS: [Person; 9] = [
    Person::new("Tom Whitlock", "tom.whitlock@post.example", "partner; teaches physics"),
    Person::new("Jonas Lindgren", "jonas@lindgren.example", "brother; carpenter in Malmö"),
    Person::new("Priya Raman", "priya.raman@post.example", "best friend since university"),
    Person::new("Per Lindgren", "per@lindgren.example", "father; retired ferry captain"),
    Person::new("Ewa Kowalska", "ewa.k@post.example", "choir friend"),
    Person::new("Mateo Silva", "mateo@silva.example", "climbing partner"),
    Person::new("Svenja Brandt", "svenja.brandt@post.example", "neighbour on the second floor"),
    Person::new("Lucía Ferrer", "lucia.ferrer@correo.example", "old flatmate, now in Valencia"),
    Person::new("Haruka Mori", "haruka.mori@tegami.example", "exchange friend from Kyoto"),
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
