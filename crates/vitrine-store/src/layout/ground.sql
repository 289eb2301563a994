-- Small facts about the store itself.
CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;

-- The catalog's version and the number of the last change to any record.
CREATE TABLE counter (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), catalog INTEGER NOT NULL, sequence INTEGER NOT NULL);
INSERT INTO counter VALUES (1, 1, 0);

-- Which change was the last one at what time, now and then: what is older than the longest
-- lived cursor can be forgotten.
CREATE TABLE mark (sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL);

CREATE TABLE source (number INTEGER PRIMARY KEY, connector_key TEXT NOT NULL UNIQUE, source_id TEXT NOT NULL UNIQUE);
-- Every declaration that was ever in force; the highest number of a source is.
CREATE TABLE declaration (number INTEGER PRIMARY KEY, source INTEGER NOT NULL, body TEXT NOT NULL, registered_at TEXT NOT NULL);
CREATE INDEX declaration_source ON declaration (source, number);
-- The number each field is indexed under. Numbers are never reused.
CREATE TABLE field (source INTEGER NOT NULL, stream TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (source, stream, name)) WITHOUT ROWID;
CREATE TABLE connection (number INTEGER PRIMARY KEY AUTOINCREMENT, connection_id TEXT NOT NULL UNIQUE, source INTEGER NOT NULL,
    display_name TEXT NOT NULL, created_at TEXT NOT NULL);
-- A cell is one stream of one connection. `changed` is the number of its last change.
CREATE TABLE cell (number INTEGER PRIMARY KEY AUTOINCREMENT, connection INTEGER NOT NULL, stream TEXT NOT NULL,
    records INTEGER NOT NULL DEFAULT 0, changed INTEGER NOT NULL DEFAULT 0, newest INTEGER, UNIQUE (connection, stream));

-- A record as it is now. `place` orders its stream and took effect with change `placed`; `time`
-- is what consent is measured on; `long` lists the fields kept in pieces; `trace` tells which
-- fields changed when, once any has; `extra` tells whether it has fields that are not declared.
CREATE TABLE record (number INTEGER PRIMARY KEY, cell INTEGER NOT NULL, id TEXT NOT NULL, place BLOB NOT NULL, time BLOB,
    emitted INTEGER NOT NULL, born INTEGER NOT NULL, placed INTEGER NOT NULL, data TEXT NOT NULL, long TEXT, trace TEXT, extra INTEGER NOT NULL);
CREATE UNIQUE INDEX record_id ON record (cell, id);
CREATE INDEX record_emitted ON record (cell, emitted, time);
-- Long fields, 4,096 characters a piece.
CREATE TABLE piece (number INTEGER PRIMARY KEY, record INTEGER NOT NULL, slot INTEGER NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL);
CREATE UNIQUE INDEX piece_part ON piece (record, slot, part);

-- Indexed values, to look up and to sort by. An entry that no longer holds stays, with the number
-- of the change that ended it, for walks that began before.
CREATE TABLE by_value (cell INTEGER NOT NULL, field INTEGER NOT NULL, value BLOB NOT NULL, place BLOB NOT NULL, id TEXT NOT NULL,
    born INTEGER NOT NULL, died INTEGER, record INTEGER NOT NULL, PRIMARY KEY (cell, field, value, place, id, born)) WITHOUT ROWID;
CREATE TABLE by_order (cell INTEGER NOT NULL, field INTEGER NOT NULL, value BLOB NOT NULL, id TEXT NOT NULL,
    born INTEGER NOT NULL, died INTEGER, record INTEGER NOT NULL, PRIMARY KEY (cell, field, value, id, born)) WITHOUT ROWID;
CREATE INDEX by_value_died ON by_value (cell, id, died) WHERE died IS NOT NULL;
CREATE INDEX by_order_died ON by_order (cell, id, died) WHERE died IS NOT NULL;

-- The changes that still tell something about a live record, and what is left of deleted ones.
CREATE TABLE event (cell INTEGER NOT NULL, sequence INTEGER NOT NULL, record INTEGER NOT NULL, PRIMARY KEY (cell, sequence)) WITHOUT ROWID;
CREATE TABLE gone (cell INTEGER NOT NULL, sequence INTEGER NOT NULL, id TEXT NOT NULL, time BLOB, at INTEGER NOT NULL,
    PRIMARY KEY (cell, sequence)) WITHOUT ROWID;

CREATE TABLE blob (number INTEGER PRIMARY KEY, connection INTEGER NOT NULL, blob_id TEXT NOT NULL, mime_type TEXT,
    size INTEGER NOT NULL, sha256 TEXT NOT NULL, UNIQUE (connection, blob_id));
CREATE TABLE blob_part (number INTEGER PRIMARY KEY, blob INTEGER NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL);
CREATE UNIQUE INDEX blob_part_place ON blob_part (blob, part);
-- Which field of which record refers to which blob.
CREATE TABLE blob_use (cell INTEGER NOT NULL, blob_id TEXT NOT NULL, field TEXT NOT NULL, record INTEGER NOT NULL,
    PRIMARY KEY (cell, blob_id, record, field)) WITHOUT ROWID;
CREATE INDEX blob_use_record ON blob_use (record);

CREATE TABLE package (package_id TEXT PRIMARY KEY, client_id TEXT NOT NULL, issued_at TEXT NOT NULL, revoked_at TEXT) WITHOUT ROWID;
CREATE TABLE access_grant (number INTEGER PRIMARY KEY, grant_id TEXT NOT NULL UNIQUE, package_id TEXT, body TEXT NOT NULL, revoked_at TEXT);
CREATE INDEX access_grant_package ON access_grant (package_id, number);
CREATE TABLE token (digest BLOB PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, expires_at TEXT, created_at TEXT NOT NULL,
    revoked_at TEXT) WITHOUT ROWID;
