package dev.damask.api;

import dev.damask.cases.Engine;
import dev.damask.family.CaseFamily;
import dev.damask.json.JsonWriter;
import dev.damask.program.ProgramHash;
import dev.damask.store.CaseRecord;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What the handlers of all routes share. It must be closed before its engine.
///
/// @param site where the engine runs
/// @param seal seals the places of lists until the server closes
/// @param clock the time of tokens, streams and jobs
public record Desk(
    Engine engine,
    Catalog catalog,
    AnswerRedaction redaction,
    EventFeed events,
    Jobs jobs,
    Site site,
    CursorSeal seal,
    Clock clock)
    implements AutoCloseable {
  /// Opens the desk of an engine.
  public static Desk open(Engine engine, Site site, Clock clock) {
    Catalog catalog = new Catalog(engine);
    return new Desk(
        engine,
        catalog,
        new AnswerRedaction(catalog::redacted, catalog::redactedAttributes),
        EventFeed.open(engine),
        new Jobs(clock),
        site,
        CursorSeal.random(),
        clock);
  }

  /// Returns the record of a case that exists for a caller.
  public Optional<CaseRecord> find(Caller caller, String caseId) {
    return engine.record(caseId).filter(each -> caller.sees(each.workflow()));
  }

  /// Returns the parent and the children of a case that exist for a caller.
  public CaseFamily family(Caller caller, String caseId) {
    CaseFamily all = engine.family(caseId);
    return caller.seesAll()
        ? all
        : new CaseFamily(
            all.parent().filter(each -> find(caller, each.caseId()).isPresent()),
            all.children().stream().filter(each -> caller.sees(each.workflow())).toList(),
            all.hasMore());
  }

  /// Returns the sources of the version that a case has.
  public Sources sources(CaseRecord record) {
    return catalog.sources(record.workflow(), record.program());
  }

  /// Returns the sources of another version of the case's workflow.
  public Sources sources(CaseRecord record, ProgramHash program) {
    return catalog.sources(record.workflow(), program);
  }

  /// Returns the body of an answer about a change.
  public static Map<String, @Nullable Object> changed(String outcome, long revision) {
    return JsonWriter.object("outcome", outcome, "revision", revision);
  }

  /// Ends the streams and jobs.
  @Override
  public void close() {
    events.close();
    jobs.close();
  }

  /// Throws [Problem] if a schedule of this name starts cases that the caller does not see.
  public void requireScheduleName(Caller caller, String name) {
    boolean isHidden =
        engine.schedules().get(name).filter(each -> !caller.sees(each.workflow())).isPresent();
    if (isHidden) {
      throw Problem.notFound("schedule", Call.shortened(name));
    }
  }
}
