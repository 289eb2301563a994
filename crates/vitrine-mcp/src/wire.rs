//! Messages on lines. The library passes over a line that it cannot read, and ends at a first message that is no request;
//! here each such line is answered, and the next one read.

use std::io;
use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, GetMeta, ProtocolVersion, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::unreadable;

/// The longest line that is read.
const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;

/// A transport over a pair of pipes.
pub(crate) struct Wire<R, W> {
    read: BufReader<R>,
    write: Arc<Mutex<Option<W>>>,
    /// What came of the current line: a read may be given up in the middle of it.
    line: Vec<u8>,
    /// Whether the line is too long, so that the rest of it is passed over.
    overlong: bool,
    /// Whether the client has said which revision it speaks.
    introduced: bool,
    /// An answer on its way. It is not ours to give up in the middle, as a read is.
    answering: Option<JoinHandle<io::Result<()>>>,
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Wire<R, W> {
    pub(crate) fn new(read: R, write: W) -> Self {
        let write = Arc::new(Mutex::new(Some(write)));
        Self {
            read: BufReader::new(read),
            write,
            line: Vec::new(),
            overlong: false,
            introduced: false,
            answering: None,
        }
    }

    /// Reads up to the end of a line, which the last one may not have; false at the end of everything.
    async fn read_line(&mut self) -> io::Result<bool> {
        loop {
            let piece = self.read.fill_buf().await?;
            if piece.is_empty() {
                return Ok(!self.line.is_empty());
            }
            let end = piece.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(piece.len(), |end| end + 1);
            self.overlong |= self.line.len() + taken > MAX_LINE_BYTES;
            if self.overlong {
                self.line.clear();
            } else {
                self.line.extend_from_slice(&piece[..taken]);
            }
            self.read.consume(taken);
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// The message of the line that was read; none where it is empty, or was answered here.
    fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.overlong) {
            self.answer(&unreadable::too_long());
            return None;
        }
        let line = line.trim_ascii();
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if line.is_empty() {
            return None;
        }
        let message = serde_json::from_slice(line).ok();
        if message.is_none() {
            self.answer(&unreadable::error(line));
        }
        message
    }

    fn answer(&mut self, error: &Value) {
        let (write, line) = (Arc::clone(&self.write), format!("{error}\n").into_bytes());
        self.answering = Some(tokio::spawn(async move { send(&write, line).await }));
    }

    /// The next message, or none at the end of everything.
    async fn next(&mut self) -> io::Result<Option<ClientJsonRpcMessage>> {
        loop {
            if let Some(answering) = &mut self.answering {
                answering.await.map_err(io::Error::other)??;
                self.answering = None;
            }
            if !self.read_line().await? {
                return Ok(None);
            }
            match self.message() {
                Some(message) if self.is_awaited(&message) => return Ok(Some(message)),
                _ => {}
            }
        }
    }

    /// Whether a message can be answered yet: whoever is not introduced can only ask.
    fn is_awaited(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let ClientJsonRpcMessage::Request(asked) = message {
            self.introduced |= match &asked.request {
                ClientRequest::InitializeRequest(_) => true,
                ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
                request => request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty(),
            };
            return true;
        }
        self.introduced
    }
}

async fn send<W: AsyncWrite + Unpin>(write: &Mutex<Option<W>>, line: Vec<u8>) -> io::Result<()> {
    let mut write = write.lock().await;
    let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    write.write_all(&line).await?;
    write.flush().await
}

impl<R: AsyncRead + Unpin + Send, W: AsyncWrite + Unpin + Send + 'static> Transport<RoleServer> for Wire<R, W> {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = Arc::clone(&self.write);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            send(&write, line).await
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.next().await.unwrap_or_else(|error| {
            tracing::debug!(%error, "the client is gone");
            None
        })
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.take();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_last_line_needs_no_end() {
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        for lines in [ping.to_owned(), format!("\n{ping}\r\n")] {
            let mut wire = Wire::new(lines.as_bytes(), tokio::io::sink());
            assert!(matches!(wire.receive().await, Some(ClientJsonRpcMessage::Request(_))), "{lines:?}");
            assert!(wire.receive().await.is_none());
        }
    }
}
