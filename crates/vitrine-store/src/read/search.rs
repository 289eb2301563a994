//! Searches: what matches, in which order, and the proof.
//!
//! Everything a score depends on is computed from what the plan may see: its fields, its records.
//! A record outside the plan is dropped before anything is counted.

mod evidence;
mod fusion;
mod likeness;
mod long_text;
mod matching;
mod ranking;
mod standing;

use std::collections::BTreeSet;

use rusqlite::{Connection, params_from_iter};
use vitrine_contract::request::SearchMode;
use vitrine_contract::search::IndexCoverage;
use vitrine_engine::declaration::Field;
use vitrine_engine::gate::{ReadPlan, Scope};
use vitrine_engine::port::{Found, SearchAsk, Weights};

use super::check_fresh;
use super::compile::Part;
use crate::fault::Result;
use crate::lexical::{self, LexicalField};
use crate::semantic::VectorCache;

use evidence::Finder;
use likeness::Meaning;
use matching::Matches;
use ranking::Scored;

/// Where a search looks: one scope's records and fields.
struct Place<'p> {
    /// Which of the plan's scopes.
    number: usize,
    scope: &'p Scope,
    /// Visible lexical fields, in declared order.
    fields: Vec<LexicalField>,
    /// The numbers of visible semantic fields.
    semantic: Vec<u32>,
    segments: Vec<i64>,
    /// The records that may take part, in order, unless all of the cell's may.
    allowed: Option<Vec<i64>>,
    /// How many may.
    records: u64,
}

impl<'p> Place<'p> {
    fn new(tx: &Connection, plan: &ReadPlan, number: usize, scope: &'p Scope) -> Result<Self> {
        let numbered = |field: &Field| Some(LexicalField::new(&field.name, scope.field_number(&field.name)?));
        let fields = scope.visible_fields().filter(|field| field.lexical).filter_map(numbered).collect();
        let semantic = scope.visible_fields().filter(|field| field.semantic).filter_map(numbered);
        let semantic = semantic.map(|field| field.number).collect();
        let narrowed = !scope.sees_all_records() || !plan.conditions().is_empty();
        let allowed = narrowed.then(|| allowed(tx, plan, scope)).transpose()?;
        let records = match &allowed {
            Some(allowed) => allowed.len() as u64,
            None => records(tx, scope.cell())?,
        };
        Ok(Self { number, scope, fields, semantic, segments: lexical::of_cell(tx, scope.cell())?, allowed, records })
    }

    fn field_numbers(&self) -> Vec<u32> {
        self.fields.iter().map(|field| field.number).collect()
    }

    fn allows(&self, record: i64) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.binary_search(&record).is_ok())
    }
}

/// The records a narrowed scope may see and the conditions let through.
fn allowed(tx: &Connection, plan: &ReadPlan, scope: &Scope) -> Result<Vec<i64>> {
    let part = Part::unordered(plan, scope);
    let column = part.record;
    let (sql, parameters) = part.select(column, false, "");
    let mut statement = tx.prepare_cached(&sql)?;
    let numbers = statement.query_map(params_from_iter(parameters), |row| row.get(0))?;
    let mut allowed = numbers.collect::<rusqlite::Result<Vec<i64>>>()?;
    allowed.sort_unstable();
    allowed.dedup();
    Ok(allowed)
}

fn records(tx: &Connection, cell: i64) -> Result<u64> {
    let mut statement = tx.prepare_cached("SELECT records FROM cell WHERE number = ?1")?;
    Ok(statement.query_row([cell], |row| row.get::<_, i64>(0))?.cast_unsigned())
}

/// Everything that takes part in a page of hits, before it is cut to one.
struct Ranking {
    scored: Vec<Scored>,
    weights: Weights,
    /// How many match, if that is known.
    total: Option<u64>,
    /// Whether every match was ranked.
    complete: bool,
    coverage: Option<IndexCoverage>,
}

pub(crate) fn search(tx: &Connection, plan: &ReadPlan, cache: &VectorCache, ask: &SearchAsk<'_>) -> Result<Found> {
    check_fresh(tx, plan)?;
    if ask.query.strict.units.is_empty() {
        return Ok(Found { total: Some(0), complete: true, ..Found::default() });
    }
    let scopes = plan.scopes().iter().enumerate();
    let places = scopes.map(|(number, scope)| Place::new(tx, plan, number, scope)).collect::<Result<Vec<_>>>()?;
    let before = ask.after.map(|after| &after.weights);
    let meaning = || Meaning::of(tx, cache, &places, &ask.query.plain, before);
    let mut matches = Matches::gather(tx, &places, ask.query, before)?;
    let Ranking { mut scored, weights, total, complete, coverage } = match ask.mode {
        SearchMode::Lexical => lexical(tx, &places, &mut matches, before)?,
        SearchMode::Semantic => semantic(&meaning()?, &places, &matches)?,
        SearchMode::Hybrid => fusion::rank(tx, &meaning()?, &places, &mut matches, before)?,
    };
    let more = ranking::best(tx, &places, &mut scored, ask.after, ask.rows)?;
    let finder = Finder::new(tx, ask.query.reading(weights.relaxed), &weights);
    let show: BTreeSet<String> = ask.show.iter().map(|name| (*name).to_owned()).collect();
    let hits = scored.iter().map(|hit| finder.hit(&places[hit.place], hit, &show)).collect::<Result<_>>()?;
    Ok(Found { hits, more, total, complete, weights, coverage })
}

fn lexical(
    tx: &Connection,
    places: &[Place<'_>],
    matches: &mut Matches<'_>,
    before: Option<&Weights>,
) -> Result<Ranking> {
    let (scored, weights) = matches.score(tx, places, before)?;
    Ok(Ranking { total: Some(scored.len() as u64), scored, weights, complete: true, coverage: None })
}

fn semantic(meaning: &Meaning<'_, '_>, places: &[Place<'_>], matches: &Matches<'_>) -> Result<Ranking> {
    let (mut scored, all) = meaning.nearest()?;
    scored.retain(|hit| !matches.is_excluded(hit.place, hit.record));
    let mut weights = matches.weigh(places);
    meaning.note(&mut weights);
    let coverage = meaning.coverage()?;
    Ok(Ranking { scored, weights, total: None, complete: all && coverage.is_none(), coverage })
}
