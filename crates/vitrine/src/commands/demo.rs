//! `vitrine demo`: a sample person, for as long as the command runs.

use std::io;

use serde::Serialize;
use tokio::net::TcpListener;
use vitrine_server::{App, Limits, router, serve};

use crate::cli::Place;
use crate::demo::{Keys, Scale, move_in};
use crate::fault::Fault;
use crate::listening::{stop_signal, url_of};
use crate::opened::Opened;
use crate::output::Output;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address to listen on; port 0 picks a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7663")]
    listen: String,
    /// How many of a hundred everyday records to make
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u8).range(1..=100), hide = true)]
    scale: u8,
}

/// How to connect.
#[derive(Debug, Serialize)]
struct Ready {
    url: String,
    mcp_url: String,
    access_token: String,
    owner_token: String,
    data_dir: String,
}

pub(crate) async fn run(args: Args, output: Output) -> Result<(), Fault> {
    let stop = stop_signal()?;
    tokio::pin!(stop);
    let listener = TcpListener::bind(&args.listen).await.map_err(|error| cannot_listen(&args.listen, &error))?;
    let directory = tempfile::Builder::new().prefix("vitrine-demo-").tempdir()?;
    let opened = Opened::at(Place { data_dir: Some(directory.path().to_owned()), database_url: None })?;
    let keys = tokio::select! {
        keys = move_in(&opened, Scale::percent(args.scale)) => keys?,
        () = &mut stop => return Ok(()),
    };
    let url = url_of(listener.local_addr()?);
    let limits = Limits::default();
    let app = App {
        store: opened.store,
        clock: opened.clock,
        random: opened.random,
        public_url: url.as_str().into(),
        limits,
    };
    let records = keys.records;
    let ready = Ready::new(url, keys, directory.path().display().to_string());
    output.result(&ready, || ready.words(records))?;
    serve(listener, router(app), limits, stop).await?;
    Ok(directory.close()?)
}

impl Ready {
    fn new(url: String, keys: Keys, data_dir: String) -> Self {
        let Keys { access_token, owner_token, .. } = keys;
        Self { mcp_url: format!("{url}/mcp"), url, access_token, owner_token, data_dir }
    }

    fn words(&self, records: u64) -> String {
        let Self { url, mcp_url, access_token, .. } = self;
        let bearer = format!("\"Authorization: Bearer {access_token}\"");
        [
            format!("Five years of Nora Lindgren, who does not exist: {records} records, until you press Ctrl-C."),
            format!("Server       {url}"),
            format!("MCP          {mcp_url}"),
            format!("Token        {access_token}"),
            format!("Claude Code  claude mcp add --transport http vitrine {mcp_url} --header {bearer}"),
            format!(
                "Codex        export VITRINE_TOKEN={access_token}; codex mcp add vitrine --url {mcp_url} \
                 --bearer-token-env-var VITRINE_TOKEN"
            ),
            format!("Gemini CLI   gemini mcp add --transport http -s user vitrine {mcp_url} --header {bearer}"),
            format!("curl         curl -H {bearer} \"{url}/v1/streams/transactions/records?connection_id=bank-elbe&limit=3\""),
            "Then ask: what became of the lost parcel, and did the money come back?".to_owned(),
        ]
        .join("\n")
    }
}

fn cannot_listen(address: &str, error: &io::Error) -> io::Error {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!("{address} is taken by another program. Stop it, or choose another port: --listen 127.0.0.1:0")
        }
        _ => format!("cannot listen on {address}: {error}"),
    };
    io::Error::new(error.kind(), why)
}
