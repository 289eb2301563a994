-- The times a deleted record was measured on before: who could see it then is told that it is gone.
ALTER TABLE gone ADD COLUMN trace TEXT;
