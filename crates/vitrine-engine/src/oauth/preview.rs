//! What a candidate grant would disclose, read the way the grant will be: through the gate.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use vitrine_contract::record::Count;
use vitrine_contract::request::{AggregateRequest, CountMode, Granularity, Metric, RecordsRequest};
use vitrine_contract::{ApiError, ErrorCode, ReadApi};

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::clock::{Clock, Random};
use crate::declaration::Stream;
use crate::grant::{Grant, Selection};
use crate::local_read::LocalRead;
use crate::port::Store;

/// Rows shown of each stream.
pub const SAMPLES: u64 = 3;
/// Characters shown of each field.
pub const SAMPLE_CHARS: u32 = 80;
/// Records of one page that are spread over time at most.
const CHARTABLE: u64 = 250_000;
/// Bars of a histogram at most.
const BARS: u64 = 60;

/// What a grant discloses of one stream of its connection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreamPreview {
    /// The stream.
    pub stream: String,
    /// Its records that the grant reaches.
    pub records: u64,
    /// Its declared fields, and whether each is disclosed.
    pub fields: Vec<(String, bool)>,
    /// How its records spread over time, where that can be told.
    pub histogram: Option<Histogram>,
    /// Its newest rows, one value a field; nothing stands where a field is withheld or absent.
    pub samples: Vec<Vec<Option<Value>>>,
}

/// Records by calendar unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Histogram {
    /// The unit.
    pub unit: &'static str,
    /// The unit's first instant, and how many records fall into it.
    pub bars: Vec<(String, u64)>,
}

/// Looks at grants that are not issued yet.
pub struct Previewer<'a, S> {
    store: &'a Arc<S>,
    catalog: &'a Catalog,
    clock: &'a Clock,
    random: &'a Random,
    /// Records that may still be spread over time: what a page costs does not grow with the store.
    chartable: u64,
}

impl<'a, S: Store> Previewer<'a, S> {
    /// Looks into `store`, whose catalog that is.
    pub fn new(store: &'a Arc<S>, catalog: &'a Catalog, clock: &'a Clock, random: &'a Random) -> Self {
        Self { store, catalog, clock, random, chartable: CHARTABLE }
    }

    /// Each stream of a grant of one connection, as the grant would disclose it.
    pub async fn look(&mut self, grant: &Grant) -> Result<Vec<StreamPreview>, ApiError> {
        let caller = Caller::preview(Arc::new(grant.clone()));
        let (clock, random) = (self.clock.clone(), self.random.clone());
        let reader = LocalRead::new(Arc::clone(self.store), caller, clock, random, "".into());
        let connection = grant.connections().into_iter().next().and_then(|id| self.catalog.connection(id));
        let mut previews = Vec::with_capacity(grant.streams.len());
        for selection in &grant.streams {
            let declared = connection.and_then(|connection| connection.stream(&selection.name));
            let Some(declared) = declared else { continue };
            let mut seen = of_stream(&reader, declared, selection).await?;
            if let Some(left) = self.chartable.checked_sub(seen.records)
                && seen.records > 0
                && let Some(field) = time_field(declared, selection)
            {
                self.chartable = left;
                seen.histogram = histogram(&reader, &selection.name, field).await?;
            }
            previews.push(seen);
        }
        Ok(previews)
    }
}

async fn of_stream<S: Store>(
    reader: &LocalRead<S>,
    declared: &Stream,
    selection: &Selection,
) -> Result<StreamPreview, ApiError> {
    let page = reader
        .records(&RecordsRequest {
            stream: selection.name.clone(),
            limit: Some(SAMPLES),
            count: CountMode::Exact,
            preview_chars: Some(SAMPLE_CHARS),
            ..RecordsRequest::default()
        })
        .await?;
    let records = match page.meta.count {
        Count::Exact { value } | Count::Estimated { value } => value,
        Count::None => 0,
    };
    let fields = declared.fields.iter().map(|f| (f.name.clone(), selection.fields.contains(&f.name))).collect();
    let row = |data: vitrine_contract::Fields| {
        let mut data = data.to_map();
        declared.fields.iter().map(|field| data.remove(&field.name)).collect()
    };
    let samples = page.data.into_iter().filter_map(|record| record.data).map(row).collect();
    Ok(StreamPreview { stream: selection.name.clone(), records, fields, histogram: None, samples })
}

/// A disclosed field whose time records can be grouped by.
fn time_field<'a>(declared: &'a Stream, selection: &Selection) -> Option<&'a str> {
    let named = [declared.consent_time_field.as_deref(), declared.cursor_field.as_deref()];
    let able = |name: &&str| {
        selection.fields.contains(*name) && declared.field(name).is_some_and(|f| f.aggregations.group_by_time)
    };
    named.into_iter().flatten().find(able)
}

/// By month, or by the next coarser unit whose bars fit.
async fn histogram<S: Store>(reader: &LocalRead<S>, stream: &str, field: &str) -> Result<Option<Histogram>, ApiError> {
    for (unit, granularity) in [("month", Granularity::Month), ("year", Granularity::Year)] {
        let request = AggregateRequest {
            stream: stream.to_owned(),
            metric: Metric::Count,
            group_by_time: Some(field.to_owned()),
            granularity: Some(granularity),
            limit: Some(BARS),
            ..AggregateRequest::default()
        };
        let answer = match reader.aggregate(&request).await {
            // Nothing to show is no reason to show nothing else.
            Err(error) if error.code == ErrorCode::InvalidRequest => return Ok(None),
            answer => answer?,
        };
        if answer.other_count == 0 {
            let bars = answer.groups.unwrap_or_default();
            let bars = bars.into_iter().map(|group| (bar_name(&group.key), group.count)).collect();
            return Ok(Some(Histogram { unit, bars }));
        }
    }
    Ok(None)
}

fn bar_name(key: &Value) -> String {
    key.as_str().map_or_else(|| "without a date".to_owned(), str::to_owned)
}
