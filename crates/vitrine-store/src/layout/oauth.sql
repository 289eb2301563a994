-- Clients that registered, or whose metadata document was read.
CREATE TABLE oauth_client (client_id TEXT PRIMARY KEY, body TEXT NOT NULL, known_since INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX oauth_client_age ON oauth_client (known_since);

-- What waits for a while: pushed requests, ceremonies, devices, sessions.
CREATE TABLE ticket (digest BLOB PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, ends INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX ticket_kind ON ticket (kind, ends);
CREATE INDEX ticket_ends ON ticket (ends);

-- What the owner approved, by the code that redeems it. Its tokens are one family.
CREATE TABLE approval (number INTEGER PRIMARY KEY, code BLOB NOT NULL UNIQUE, client_id TEXT NOT NULL, body TEXT NOT NULL,
    ends INTEGER NOT NULL, redeemed_at INTEGER, revoked_at INTEGER);
CREATE INDEX approval_client ON approval (client_id);
CREATE TABLE refresh_token (digest BLOB PRIMARY KEY, approval INTEGER NOT NULL, ends INTEGER NOT NULL, superseded_at INTEGER) WITHOUT ROWID;
CREATE INDEX refresh_token_approval ON refresh_token (approval);
ALTER TABLE token ADD COLUMN approval INTEGER;
CREATE INDEX token_approval ON token (approval) WHERE approval IS NOT NULL;
