//! Devices without a browser (RFC 8628): the owner types a short code elsewhere.

use serde::{Deserialize, Serialize};

use super::ask::{details, from_json, resource, to_json, too_many};
use super::ceremony::{Ceremony, Reply};
use super::client::OAuthClient;
use super::details::Detail;
use super::exchange::{Granted, no_good};
use super::params::Params;
use super::vault::{Ticket, TicketKind};
use super::{Authority, OAuthCode, OAuthError};
use crate::clock::Random;
use crate::keeping::Keeper;
use crate::token::{TokenDigest, fresh_secret};

/// How long a device waits for its user.
pub const DEVICE_SECONDS: i64 = 10 * 60;
/// Seconds between two questions of a device.
pub const POLL_SECONDS: i64 = 5;
/// Devices that may wait at once.
const MAX_DEVICES: u32 = 1_000;
/// No vowels, so no words; nothing that looks like something else.
const ALPHABET: &[u8] = b"BCDFGHJKLMNPQRSTVWXZ";
const CODE_LETTERS: usize = 8;

/// A device that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Waiting {
    client: OAuthClient,
    details: Option<Vec<Detail>>,
    resource: Option<String>,
    /// Seconds it must leave between two questions.
    interval: i64,
    /// When it asked last.
    asked_at: Option<i64>,
    denied: bool,
}

/// The codes of a waiting device, with their only copies.
#[derive(Debug)]
pub struct DeviceCodes {
    /// For the device.
    pub device_code: String,
    /// For its user.
    pub user_code: String,
}

impl<S: Keeper> Authority<'_, S> {
    /// Takes a device's request.
    pub async fn start_device(&self, params: &Params, client: OAuthClient) -> Result<DeviceCodes, OAuthError> {
        let (details, resource) = (details(params)?, resource(params, self.issuer)?);
        let codes = DeviceCodes { device_code: fresh_secret("vtd", self.random), user_code: user_code(self.random) };
        let device = TokenDigest::of(&codes.device_code);
        let waiting = Waiting { client, details, resource, interval: POLL_SECONDS, asked_at: None, denied: false };
        // What cannot be granted is refused now, not when the owner has typed the code.
        self.offer(&waiting.ceremony(&device)).await?;
        let ends = self.in_seconds(DEVICE_SECONDS);
        let by_user =
            Ticket { digest: user_digest(&codes.user_code), kind: TicketKind::UserCode, body: device.to_hex(), ends };
        let ticket = Ticket { digest: device, kind: TicketKind::Device, body: to_json(&waiting)?, ends };
        let kept = self.store.keep_ticket(&ticket, MAX_DEVICES).await?
            && self.store.keep_ticket(&by_user, MAX_DEVICES).await?;
        if kept { Ok(codes) } else { Err(too_many()) }
    }

    /// Puts the request of the device that shows this code before the owner; nothing when no
    /// device does.
    pub async fn open_device(&self, user_code: &str) -> Result<Option<String>, OAuthError> {
        let Some(hex) = self.store.ticket(TicketKind::UserCode, &user_digest(user_code)).await? else {
            return Ok(None);
        };
        let Some(device) = TokenDigest::from_hex(&hex) else { return Ok(None) };
        let Some(body) = self.store.ticket(TicketKind::Device, &device).await? else { return Ok(None) };
        let waiting: Waiting = from_json(&body)?;
        if waiting.denied || self.store.approval(&device).await?.is_some() {
            return Ok(None);
        }
        self.open_ceremony(&waiting.ceremony(&device)).await.map(Some)
    }

    pub(super) async fn deny_device(&self, code_digest: &str) -> Result<(), OAuthError> {
        let Some(device) = TokenDigest::from_hex(code_digest) else { return Ok(()) };
        let Some(body) = self.store.ticket(TicketKind::Device, &device).await? else { return Ok(()) };
        let waiting = Waiting { denied: true, ..from_json(&body)? };
        self.store.change_ticket(TicketKind::Device, &device, &body, &to_json(&waiting)?).await?;
        Ok(())
    }

    pub(super) async fn poll_device(&self, params: &Params, client: &OAuthClient) -> Result<Granted, OAuthError> {
        let device = TokenDigest::of(params.need("device_code")?);
        if let Some(kept) = self.store.approval(&device).await? {
            if kept.approved.client_id != client.client_id || kept.approved.code_challenge.is_some() {
                return Err(no_good("The device code is not known here."));
            }
            self.end_if_redeemed(&device, &kept).await?;
            return self.first_tokens(&device, kept, params).await;
        }
        let Some(body) = self.store.ticket(TicketKind::Device, &device).await? else {
            return Err(OAuthError::new(OAuthCode::ExpiredToken, "The device code has expired. Start again."));
        };
        let waiting: Waiting = from_json(&body)?;
        if waiting.client.client_id != client.client_id {
            return Err(no_good("The device code is not known here."));
        }
        if waiting.denied {
            return Err(OAuthError::new(OAuthCode::AccessDenied, "The owner said no."));
        }
        let now = self.now().as_second();
        let too_soon = waiting.asked_at.is_some_and(|last| now < last.saturating_add(waiting.interval));
        let interval = waiting.interval + if too_soon { POLL_SECONDS } else { 0 };
        let after = to_json(&Waiting { interval, asked_at: Some(now), ..waiting })?;
        self.store.change_ticket(TicketKind::Device, &device, &body, &after).await?;
        Err(if too_soon {
            OAuthError::new(OAuthCode::SlowDown, format!("Leave {interval} seconds between two questions."))
        } else {
            OAuthError::new(OAuthCode::AuthorizationPending, "The owner has not decided yet.")
        })
    }
}

impl Waiting {
    fn ceremony(&self, device: &TokenDigest) -> Ceremony {
        let reply = Reply::Device { code_digest: device.to_hex(), resource: self.resource.clone() };
        Ceremony { client: self.client.clone(), reply, details: self.details.clone() }
    }
}

/// `BCDF-GHJK`.
fn user_code(random: &Random) -> String {
    let mut letters = String::with_capacity(CODE_LETTERS + 1);
    while letters.len() < CODE_LETTERS {
        // Bytes past the last whole round would make some letters likelier than others.
        let [byte] = random.bytes::<1>();
        if usize::from(byte) < 256 / ALPHABET.len() * ALPHABET.len() {
            letters.push(char::from(ALPHABET[usize::from(byte) % ALPHABET.len()]));
        }
    }
    letters.insert(CODE_LETTERS / 2, '-');
    letters
}

/// However it was typed.
fn user_digest(typed: &str) -> TokenDigest {
    let letters: String = typed.chars().filter(char::is_ascii_alphabetic).take(64).collect();
    TokenDigest::of(&format!("user_code:{}", letters.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_code_can_be_typed_in_any_way() {
        let code = user_code(&Random::seeded(1));
        assert_eq!((code.len(), code.as_bytes()[4]), (9, b'-'));
        let typed = code.to_lowercase().replace('-', " ");
        assert!(user_digest(&code).matches(&user_digest(&typed)));
        assert!(!user_digest(&code).matches(&user_digest("BBBB-BBBB")));
    }
}
