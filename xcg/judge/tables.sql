CREATE TABLE assessors (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE documents (
    name TEXT PRIMARY KEY NOT NULL,
    digest BLOB NOT NULL CHECK (length(digest) = 16)
) STRICT;
CREATE TABLE assignments (
    id INTEGER PRIMARY KEY,
    assessor TEXT NOT NULL REFERENCES assessors (name),
    topic TEXT NOT NULL,
    UNIQUE (assessor, topic)
) STRICT;
CREATE TABLE pools (
    id INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    document TEXT NOT NULL REFERENCES documents,
    UNIQUE (topic, document)
) STRICT;
CREATE TABLE results (
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    start INTEGER NOT NULL CHECK (start >= 0),
    "end" INTEGER NOT NULL CHECK ("end" >= start),
    PRIMARY KEY (topic, document, start, "end"),
    FOREIGN KEY (topic, document) REFERENCES pools (topic, document)
) STRICT, WITHOUT ROWID;
-- The decisions on disagreements of assessors, to which rows are only added; the last one holds.
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    disagreement TEXT NOT NULL,
    label TEXT,
    author TEXT NOT NULL,
    time TEXT NOT NULL,
    FOREIGN KEY (topic, document) REFERENCES pools (topic, document)
) STRICT;
-- At most one row: the key of the start URLs, if they are kept.
CREATE TABLE secrets (id INTEGER PRIMARY KEY CHECK (id = 1), secret BLOB NOT NULL) STRICT;
-- The current versions, with the quotes by which they are placed in a changed document.
CREATE TABLE judgements (
    assessor TEXT NOT NULL REFERENCES assessors (name),
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    content TEXT NOT NULL,
    PRIMARY KEY (assessor, topic, document),
    FOREIGN KEY (topic, document) REFERENCES pools (topic, document)
) STRICT;
-- The history, to which rows are only added. "content" is the content after the change. "undo" and
-- "redo" are the versions whose content undo and redo restore; version 0 is empty. "seconds" is the
-- time that the assessor has spent on the document so far, and "words_marked" states whether the page
-- has marked the words of the topic.
CREATE TABLE changes (
    id INTEGER PRIMARY KEY,
    assessor TEXT NOT NULL,
    topic TEXT NOT NULL,
    document TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    time TEXT NOT NULL,
    operation TEXT NOT NULL,
    fields TEXT NOT NULL,
    content TEXT NOT NULL,
    undo INTEGER CHECK (undo >= 0 AND undo < version),
    redo INTEGER CHECK (redo >= 1 AND redo < version),
    seconds INTEGER NOT NULL CHECK (seconds >= 0),
    words_marked INTEGER NOT NULL CHECK (words_marked IN (0, 1)),
    UNIQUE (assessor, topic, document, version),
    FOREIGN KEY (assessor, topic, document) REFERENCES judgements (assessor, topic, document)
) STRICT;
