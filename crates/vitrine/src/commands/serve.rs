//! `vitrine serve`: the store over HTTP.

use http::Uri;
use serde_json::json;
use vitrine_server::{App, Guard, Limits, router, serve};

use crate::cli::Place;
use crate::fault::Fault;
use crate::here::here;
use crate::listening::{listen, stop_signal, url_of};
use crate::opened::Opened;
use crate::output::Output;
use crate::reading::Reading;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7663")]
    listen: String,
    /// Origin under which clients reach the server [default: the address it listens on]
    #[arg(long, value_name = "URL", env = "VITRINE_PUBLIC_URL")]
    public_url: Option<String>,
    /// Requests a second that each token may make in the long run, a minute's worth at once; 0 sets no limit
    #[arg(long, value_name = "N", default_value_t = Limits::default().requests_per_second)]
    rate_limit: u32,
}

pub(crate) async fn run(args: Args, place: &Place, output: Output) -> Result<(), Fault> {
    let opened = Opened::at(place)?;
    let public_url = args.public_url.as_deref().map(origin).transpose()?;
    let listener = listen(&args.listen).await?;
    let url = url_of(listener.local_addr()?);
    let limits = Limits { requests_per_second: args.rate_limit, ..Limits::default() };
    let public_url = public_url.unwrap_or_else(|| url.clone());
    let reading = Reading::start(&opened.store)?;
    let router = router(App {
        store: opened.store,
        clock: opened.clock,
        random: opened.random,
        public_url: public_url.as_str().into(),
        here: here(place)?,
        limits,
        guard: Guard::default(),
    });
    let stop = stop_signal()?;
    output.result(&json!({ "url": url, "public_url": public_url }), || format!("listening on {url}"))?;
    serve(listener, router, limits, stop).await?;
    drop(reading);
    Ok(())
}

/// Scheme and authority alone, since every path of the server starts at its root.
fn origin(url: &str) -> Result<String, Fault> {
    let wrong = || Fault::configuration(format!("--public-url {url}: write it as https://records.example.org"));
    let parts = url.parse::<Uri>().map_err(|_| wrong())?.into_parts();
    let rooted = parts.path_and_query.is_none_or(|path| path.as_str() == "/");
    match (parts.scheme, parts.authority) {
        (Some(scheme), Some(authority)) if rooted && ["http", "https"].contains(&scheme.as_str()) => {
            Ok(format!("{scheme}://{authority}"))
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_url_is_an_origin() {
        assert_eq!(origin("https://a.example").unwrap(), "https://a.example");
        assert_eq!(origin("http://a.example:8080/").unwrap(), "http://a.example:8080");
        for wrong in ["a.example", "ftp://a.example", "https://a.example/path", "https://a.example?x", "", "/"] {
            assert!(origin(wrong).is_err(), "{wrong}");
        }
    }
}
