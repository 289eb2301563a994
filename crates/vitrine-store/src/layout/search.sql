-- The word index. A segment holds the words of some records of one cell, in leaves of sorted
-- entries; `first` is a leaf's first key. All words of a record are in one segment.
CREATE TABLE segment (number INTEGER PRIMARY KEY AUTOINCREMENT, cell INTEGER NOT NULL, records INTEGER NOT NULL);
CREATE INDEX segment_cell ON segment (cell);
CREATE TABLE leaf (number INTEGER PRIMARY KEY, segment INTEGER NOT NULL, first BLOB NOT NULL, data BLOB NOT NULL);
CREATE UNIQUE INDEX leaf_first ON leaf (segment, first);
-- Where in a long field its words stand, now and then: word number `word` starts at character `at`.
CREATE TABLE milestone (record INTEGER NOT NULL, field INTEGER NOT NULL, word INTEGER NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (record, field, word)) WITHOUT ROWID;

-- What passages of a record's fields mean. `vectors_dropped` rises whenever a cell loses vectors.
CREATE TABLE vector (number INTEGER PRIMARY KEY, cell INTEGER NOT NULL, record INTEGER NOT NULL, field INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX vector_record ON vector (cell, record);
ALTER TABLE cell ADD COLUMN vectors_dropped INTEGER NOT NULL DEFAULT 0;
-- Texts whose meaning is not known yet; `stamp` is the change that brought them.
CREATE TABLE unread (record INTEGER NOT NULL, field INTEGER NOT NULL, cell INTEGER NOT NULL, stamp INTEGER NOT NULL,
    PRIMARY KEY (record, field)) WITHOUT ROWID;
CREATE INDEX unread_cell ON unread (cell, field);
