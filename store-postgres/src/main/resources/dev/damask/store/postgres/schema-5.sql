-- Version 5: the cases of one workflow are listed without reading the others. `@.` stands for the
-- schema.

create index cases_by_workflow on @.cases (workflow collate "C", status, started, case_id);
