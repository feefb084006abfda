package dev.damask.cli.cases;

import dev.damask.api.CaseSummary;
import dev.damask.api.ListNotes;
import dev.damask.cli.command.CaseWords;
import dev.damask.cli.command.Documents;
import dev.damask.cli.command.KeptDocuments;
import dev.damask.cli.command.KnownWorkflow;
import dev.damask.cli.command.OwnerView;
import dev.damask.cli.command.Refusal;
import dev.damask.cli.command.StoreCommand;
import dev.damask.document.DocumentSource;
import dev.damask.document.LoadedDocument;
import dev.damask.drawing.Drawing;
import dev.damask.exec.ExecState;
import dev.damask.family.CaseFamily;
import dev.damask.history.HistoryPosition;
import dev.damask.json.JsonWriter;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.AttributeRows;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.Store;
import dev.damask.value.Decoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The cases of a store that the command has opened. No engine runs on it.
final class StoreBook implements CaseBook {
  private final Store store;
  private final @Nullable Path document;

  StoreBook(Store store, @Nullable Path document) {
    this.store = store;
    this.document = document;
  }

  @Override
  public Page cases(CaseQuery query, String where) {
    CasePage page = store.list(query);
    List<Map<String, @Nullable Object>> items = new ArrayList<>();
    page.cases().forEach(each -> items.add(json(each)));
    return new Page(
        items, page.next(), missing(page.cases()), AttributeRows.notIndexed(store, query));
  }

  private static Map<String, @Nullable Object> json(CaseRecord record) {
    return OwnerView.plain(
        JsonWriter.object(
            "case", record.caseId(),
            "workflow", record.workflow(),
            "status", CaseWords.word(record.status()),
            "problem", record.status() == CaseStatus.CORRUPT ? record.evidence() : null,
            "started", CaseWords.time(record.startedMillis()),
            "due", CaseWords.due(record),
            "revision", record.revision(),
            "attributes", CaseSummary.attributes(record),
            "waitingFor", record.facts().waits()));
  }

  private List<String> missing(List<CaseRecord> cases) {
    KeptDocuments documents = new KeptDocuments(store, null);
    return ListNotes.missing(cases, each -> documents.workflow(each.program()).isPresent());
  }

  @Override
  public Map<String, @Nullable Object> summary(String caseId, int tail, @Nullable Long revision) {
    return OwnerView.plain(picture(caseId, tail, revision).summary.json());
  }

  /// A summary and the workflow that it was read with.
  private record Picture(CaseSummary summary, @Nullable KnownWorkflow known) {}

  private Picture picture(String caseId, int tail, @Nullable Long revision) {
    CaseRecord record = StoreCommand.require(store, caseId);
    if (revision != null) {
      CasePast past = CasePast.of(store, record);
      KnownWorkflow known = workflow(past.program(revision));
      ExecState state = past.read(revision, known);
      return new Picture(
          new CaseSummary(
              CaseSummary.then(record, revision, state),
              state,
              source(known),
              List.of(),
              List.of(),
              CaseFamily.NONE,
              List.of()),
          known);
    }
    KnownWorkflow known = workflow(record.program());
    Program program = known == null ? null : known.program();
    return new Picture(
        new CaseSummary(
            record,
            program == null ? null : state(program, record),
            source(known),
            store.intents(caseId),
            store.receipts(caseId),
            CaseFamily.read(store, caseId),
            TraceLines.last(store, caseId, program, tail)),
        known);
  }

  private static CaseSummary.Source source(@Nullable KnownWorkflow known) {
    return known == null
        ? new CaseSummary.Source(false, Map.of())
        : new CaseSummary.Source(known.document() == null, known.lines());
  }

  private static ExecState state(Program program, CaseRecord record) {
    if (!program.hash().equals(record.program())) {
      throw new Refusal(
          "case %s: it belongs to program %s, the document compiles to %s; name its own document"
              .formatted(record.caseId(), record.program(), program.hash()));
    }
    try {
      return record.decode(Documents.machine(program));
    } catch (Decoder.DamagedBytes e) {
      throw new Refusal(
          "case %s: corrupt state: %s; see 'damask verify'"
              .formatted(record.caseId(), e.getMessage()));
    }
  }

  private @Nullable KnownWorkflow workflow(ProgramHash program) {
    return document == null
        ? new KeptDocuments(store, null).workflow(program).orElse(null)
        : KnownWorkflow.of(LoadedDocument.loadStored(DocumentSource.read(document)));
  }

  @Override
  public String diagram(String caseId, @Nullable Long revision) {
    Picture picture = picture(caseId, 0, revision);
    if (picture.known == null) {
      throw CaseInputs.unknown(picture.summary.record());
    }
    return Drawing.svg(picture.known.workflow(), picture.summary.marks());
  }

  private CasePast past(String caseId) {
    return CasePast.of(store, StoreCommand.require(store, caseId));
  }

  @Override
  public List<HistoryPosition> positions(String caseId) {
    return past(caseId).positions();
  }

  @Override
  public String scenario(String caseId, Set<String> redacted) {
    CaseRecord record = StoreCommand.require(store, caseId);
    return CasePast.of(store, record).scenario(workflow(record.program()), redacted);
  }

  @Override
  public byte[] recording(String caseId) {
    return past(caseId).recording();
  }

  @Override
  public List<Map<String, @Nullable Object>> receipts(String caseId) {
    CaseRecord record = StoreCommand.require(store, caseId);
    List<Map<String, @Nullable Object>> all = new ArrayList<>();
    store
        .receipts(caseId)
        .forEach(each -> all.add(OwnerView.plain(CaseSummary.receipt(record.workflow(), each))));
    return all;
  }

  @Override
  public Optional<Keyed> receiptByKey(String type, String key) {
    return store
        .receiptByKey(type, key)
        .map(each ->
            new Keyed(each.caseId(), OwnerView.plain(CaseSummary.receipt("", each.receipt()))));
  }

  @Override
  public List<String> verify() {
    return store.verify();
  }

  @Override
  public void backup(Path target, boolean links) {
    store.backup(target, links ? Store.Backup.LINKS : Store.Backup.COPIES);
  }

  @Override
  public void close() {
    store.close();
  }
}
