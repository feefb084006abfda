package dev.damask.routes;

import static java.util.Map.entry;

import dev.damask.api.AnswerShapes;
import dev.damask.api.Route;
import java.util.Map;

/// The shapes of the answers of all routes, as the OpenAPI document shows them. A test compares
/// them with real answers.
final class Answers {
  private static final AnswerShapes SHAPES =
      new AnswerShapes()
          .define("Wait", "name text, kind text?, element text?, line whole?, since text")
          .define("OldestIncident", "task text, reason text, detail text, since text")
          .define(
              "Case",
              "id text, workflow text, program text?, version text, status text, revision whole,"
                  + " started text, changed text, due text?, waitingFor [Wait], attributes {any},"
                  + " evidence? text")
          .define("ListedCase", "...Case, incident? OldestIncident")
          .define(
              "Counts",
              "RUNNING? whole|text, WAITING? whole|text, DEADLOCKED? whole|text,"
                  + " QUARANTINED? whole|text, COMPLETED? whole|text, FAILED? whole|text,"
                  + " CANCELLED? whole|text, CORRUPT? whole|text, PAUSED? whole|text")
          .define(
              "Token",
              "token whole, element text, line whole?, activity text, task text, label text,"
                  + " scope whole, context {any}, waitsFor text")
          .define(
              "Join",
              "scope whole, element text?, line whole?, name text, policy text, completed whole,"
                  + " required whole")
          .define("Timer", "name text, due text")
          .define(
              "Effect",
              "id text, token whole, task text, name text, type? text, element text?,"
                  + " attempts whole, key? text, started? text?, deadline? text?, held? text,"
                  + " incident flag, next text?, payload? {any}")
          .define("Scope", "id whole, parent whole, kind text, name text, progress text")
          .define(
              "Undo", "name text, label text, element text, line whole?, scope whole, begun flag")
          .define(
              "ActedSchedule",
              "name text, case? text, workflow? text, timing? text, overlap? text, catchUp? text,"
                  + " paused? flag, next? text?, last? text?, lastCase? text?, queued? text?,"
                  + " missed? whole, input? {any}")
          .define(
              "CaseSummary",
              "case text, workflow text, program text, status text, reason text?, revision whole,"
                  + " oldestRevision whole, started text, due text?, context {any}?,"
                  + " lateFailures [data], tasks [SummaryTask], places [text], sets [text],"
                  + " parent text?, children [SummaryChild], tokens {whole}, lines {any},"
                  + " receipts [SummaryReceipt], attributes {any}, waitingFor [text], trace [text],"
                  + " more SummaryMore")
          .define(
              "SummaryMore",
              "reasons [text], late [text], problems {text}, java flag, parentTask text?,"
                  + " parentDetached flag, moreChildren flag, run? Outcome")
          .define(
              "Outcome",
              "status text, reason text?, detail text, lines [text], steps whole, effects whole")
          .define(
              "SummaryTask",
              "id text, task text, execution whole?, type text, attempt whole, key text?,"
                  + " with {any}")
          .define("SummaryChild", "case text, workflow text, task text, detached flag, status text")
          .define(
              "SummaryReceipt",
              "number whole, effect text, task text, type text, key text, attempt whole, at text,"
                  + " result Result, spec text?, millis whole?")
          .define(
              "Result", "kind text, data? {any}, reason? text, detail? text, of? text, by? text")
          .define("Divergence", "sentence text, revision whole, places text")
          .define(
              "State",
              "status text, why text, tokens [Token], joins [Join], places {whole},"
                  + " timers [Timer], effects [Effect], scopes [Scope], undo [Undo],"
                  + " context {any}, lateFailures [text]")
          .define(
              "PastState",
              "position whole, revision whole, at text, ...State, divergence? Divergence,"
                  + " program? text")
          .define(
              "Failure",
              "task text, reason text, detail text, attempt whole, element text, line whole?,"
                  + " attached [Failure]")
          .define("Cancelled", "scope text, reason text")
          .define("Paused", "since text, reason text, inputs whole")
          .define("Parent", "id text, task text, detached flag")
          .define("Child", "id text, workflow text, task text, detached flag, status text?")
          .define("Family", "parent Parent?, children [Child], moreChildren flag")
          .define(
              "ShownCase",
              "...Case, why text, tokens? [Token], joins? [Join], places? {whole},"
                  + " timers? [Timer], effects? [Effect], scopes? [Scope], undo? [Undo],"
                  + " context? {any}, lateFailures? [text], incident? flag, divided? [text],"
                  + " output? {any}?, failure? Failure?, cancelled? Cancelled, paused? Paused,"
                  + " nextTimer? text?, sets? [text], signals? [text], parent? Parent?,"
                  + " children? [Child], moreChildren? flag")
          .define(
              "Receipt",
              "number whole, effect text, task text, name text, type text, element text?,"
                  + " attempt whole, key text, started text?, ended text, millis whole?,"
                  + " spec text?, hash text, previous text?, outcome text, result? {any},"
                  + " reason? text, detail? text, by? text")
          .define(
              "TraceEvent",
              "step whole, at text?, kind text, rule text, token whole, subject text, label text,"
                  + " detail text, text? text")
          .define(
              "Position",
              "position whole, revision whole, at text, kind text, cause text, subject text,"
                  + " computed flag, committed flag, program? text")
          .define("TrialPosition", "...Position, outcome text?, state PastState")
          .define("Change", "path text, before any, after any")
          .define("Window", "position whole, state? PastState, changed? {any}")
          .define("Reply", "outcome text, revision whole")
          .define(
              "Finding",
              "severity text, code text, line whole?, column whole, path text, message text,"
                  + " fix text")
          .define("Property", "name text, holds flag?")
          .define(
              "Step",
              "text text, kind text, element text?, line whole?, details? [text],"
                  + " state PastState?, token? whole?, task? text, subject? text")
          .define(
              "Proof",
              "verdict text, states whole, millis whole, scope? text?, why? text?,"
                  + " properties? [Property], findings [Finding], counterexample [Step]?")
          .define("Version", "program text, version text, current flag")
          .define("CountedVersion", "...Version, cases whole, more flag, document flag")
          .define(
              "Workflow",
              "workflow text, ...Version, document flag, versions [Version], cases Counts")
          .define("Element", "id text, line whole?, column whole?, name text, kind text")
          .define(
              "Standing", "id text, name text, count whole, more flag, oldest text, median text")
          .define("Signal", "name text, schema? any")
          .define("ResultTask", "name text, result any")
          .define(
              "ShownWorkflow",
              "workflow text, ...Version, description text, versions [CountedVersion],"
                  + " document text?, places [Element], standing [Standing], input any,"
                  + " output any, signals [Signal], tasks [ResultTask], attributes [text],"
                  + " cases Counts")
          .define(
              "Job",
              "job text, kind text, workflow text?, state text, started text, done whole,"
                  + " failed whole, total whole, problem? text, problems? [text], name? text,"
                  + " dryRun? flag, outcomes? {whole}, refused? any, items? [MigratedCase],"
                  + " reasons? {whole}, possible? whole")
          .define("MigratedCase", "id text, ok flag, reason text")
          .define("MappedPart", "what text, from text, to text, why text, lost flag")
          .define(
              "Incident",
              "id text, case text, workflow text, task text, name text, type text, element text?,"
                  + " line whole?, reason text, detail text, attempts whole, since text, open flag")
          .define("IncidentGroup", "workflow text, task text, reason text, count whole")
          .define(
              "Schedule",
              "name text, workflow text, timing text, overlap text, catchUp text, paused flag,"
                  + " next text?, last text?, lastCase text?, queued text?, missed whole,"
                  + " input {any}")
          .define("Latency", "count whole, mean number, p50 number, p99 number, max number")
          .define(
              "EffectFigures",
              "name text, calls whole, failed whole, mean number, p50 number, p99 number,"
                  + " max number")
          .define("Limit", "type text, running whole, waiting whole")
          .define(
              "Node",
              "node whole, epoch whole, state text, heartbeat whole, slots whole, inbox whole,"
                  + " address text")
          .define(
              "Evidence",
              "id text, workflow text, status text, why text, evidence text, since text")
          .define(
              "Nursery",
              "name text, state text, age text, cancelled flag|text, spawned whole,"
                  + " children [NurseryChild]")
          .define("NurseryChild", "name text, state text, age text, children [Nursery]")
          .define(
              "Task",
              "case text, workflow text, id text, name text, task text, type text,"
                  + " assignee text?, since text")
          .define(
              "Claim",
              "...Task, claim text, attempt whole, key text, delivery text, until text,"
                  + " payload {any}")
          .define("Worker", "worker text, types [text], since text, last text")
          .define(
              "AuditEntry",
              "at text, who text, what text, case text, subject text, outcome text, reason text")
          .define(
              "Me",
              "name text, role text, workflows [text], types [text], secrets flag, expires text?,"
                  + " server {text}")
          .define(
              "Session",
              "id text, owner text, number whole, case text, graph text, status text,"
                  + " paused flag, started text, changed text, processes {whole}")
          .define(
              "Process",
              "name text, process whole, step text, state text, valid flag?, reason text,"
                  + " since text, until text?, payload any, children [Process]")
          .define("Group", "name text, members [whole], state text")
          .define("SessionJoin", "name text, completed whole, required whole, failed {any}")
          .define("LogLine", "at text, step text, process whole, text text")
          .define("Entry", "key text, version whole, hash text, owner text")
          .define("StoredEntry", "...Entry, executors any, changed text, text text")
          .define(
              "OwnedSession",
              "owner text, sessionId whole, ostcId text, ostcHash text, status text,"
                  + " started text, updated text")
          .define(
              "OwnedProcess",
              "pid text, parentPid text?, iterationStep whole, step text, status text,"
                  + " valid flag?, updated text, nextWakeAt text?, killedAt text?,"
                  + " joinGroupId whole, joinFromGroupId whole, expected any, delivered any,"
                  + " joinFail any, reason text")
          .define(
              "ListedProcess",
              "owner text, sessionId whole, ostcId text, ostcHash text, ...OwnedProcess")
          .define(
              "Target",
              "owner text, sessionId whole, pid text, step text, nextWakeAt text?,"
                  + " fields [TargetField]")
          .define(
              "TargetField",
              "name text, type text, required flag, present flag, default any, missing flag")
          .define(
              "SentWakeUp",
              "step text, iterationStep whole, runner text, sessionId whole, stepId text,"
                  + " woken whole");

  private static final String PROOF = "workflow text, program text, ...Proof";
  private static final String MIGRATION =
      "mapping [MappedPart], items? [MigratedCase], reasons? {whole}, total? whole,"
          + " possible? whole, refused? any, job? text, kind? text, workflow? text?, state? text,"
          + " started? text, done? whole, failed? whole";
  private static final String STATISTICS =
      "at text, cases Counts, uptime? text, commitsPerSecond? number, effectsPerSecond? number,"
          + " startsPerSecond? number, started? whole, ended? whole, removed? whole, steps? whole,"
          + " effects? whole, commits? whole, batches? whole, bytes? whole, resident? whole,"
          + " inbox? whole, openCalls? whole, incidents? whole, waitingForPermit? whole,"
          + " casesWithoutProgram? whole, slowMoves? whole, shardRestarts? whole, durable? Latency,"
          + " moving? Latency, cancelling? Latency, byType? [EffectFigures], storeBytes? whole?,"
          + " limits? [Limit]";
  private static final String SESSION =
      "failure any, cancellation any, cost any, missingSecrets {any}, result any";
  private static final String REPLY = "...Reply";
  private static final String JOB = "...Job";

  /// The fields of the JSON answers by method and path.
  private static final Map<String, String> BY_ROUTE =
      Map.ofEntries(
          entry("POST /v1/session", "token text, ...Me"),
          entry("POST /v1/link", "link text"),
          entry("GET /v1/me", "...Me"),
          entry("GET /v1/openapi.json", "openapi text, info {any}, paths {any}, components {any}"),
          entry("GET /v1/workflows", page("Workflow")),
          entry("GET /v1/workflows/{workflow}", "...ShownWorkflow"),
          entry("PUT /v1/workflows/{workflow}", PROOF),
          entry("GET /v1/workflows/{workflow}/proof", PROOF),
          entry("POST /v1/check", "...Proof"),
          entry("POST /v1/try", "positions [TrialPosition]"),
          entry(
              "GET /v1/cases",
              "items [ListedCase], next text?, more? flag, counts? Counts,"
                  + " missingPrograms? [text], notIndexed? [text]"),
          entry("POST /v1/cases", "id text, revision whole, created flag"),
          entry("GET /v1/cases/{case}", "...ShownCase"),
          entry(
              "GET /v1/cases/{case}/raw",
              "...ShownCase, epoch whole, evidence text, problems {text}, receipts [Receipt]"),
          entry("GET /v1/cases/{case}/receipts", page("Receipt")),
          entry("GET /v1/cases/{case}/trace", "total whole, " + page("TraceEvent")),
          entry("GET /v1/cases/{case}/family", "...Family"),
          entry("GET /v1/cases/{case}/summary", "...CaseSummary"),
          entry("GET /v1/receipts", "case text, receipt SummaryReceipt"),
          entry("GET /v1/cases/{case}/positions", "total whole, " + page("Position")),
          entry("GET /v1/cases/{case}/at/{position}", "...PastState"),
          entry("GET /v1/cases/{case}/diff", page("Change")),
          entry("GET /v1/cases/{case}/states", "total whole, " + page("Window")),
          entry("POST /v1/cases/{case}/fork", "...PastState, replies [text]"),
          entry("POST /v1/cases/{case}/signal", REPLY),
          entry("POST /v1/cases/{case}/complete", REPLY),
          entry("POST /v1/cases/{case}/decide", REPLY),
          entry("POST /v1/cases/{case}/fail", REPLY),
          entry("POST /v1/cases/{case}/cancel", REPLY),
          entry("POST /v1/cases/{case}/retry", REPLY),
          entry("POST /v1/cases/{case}/pause", REPLY),
          entry("POST /v1/cases/{case}/resume", REPLY),
          entry("POST /v1/cases/{case}/change", REPLY),
          entry("POST /v1/cases/{case}/instances", REPLY),
          entry("POST /v1/cases/{case}/migrate", REPLY),
          entry("POST /v1/cases/{case}/restart", "id text, revision whole"),
          entry("DELETE /v1/cases/{case}", "removed text"),
          entry("POST /v1/cases/bulk", JOB),
          entry("POST /v1/workflows/{workflow}/migration", MIGRATION),
          entry(
              "GET /v1/incidents", "total whole|text, groups [IncidentGroup], " + page("Incident")),
          entry("POST /v1/incidents/{incident}/retry", REPLY),
          entry("POST /v1/incidents/{incident}/skip", REPLY),
          entry("POST /v1/incidents/{incident}/fail", REPLY),
          entry("POST /v1/incidents/{action}", "items [Incident], matched whole"),
          entry("GET /v1/schedules", page("Schedule")),
          entry("GET /v1/schedules/{name}", "...Schedule"),
          entry("PUT /v1/schedules/{name}", "...Schedule"),
          entry("POST /v1/schedules/{name}/{action}", "...ActedSchedule"),
          entry("DELETE /v1/schedules/{name}", "removed text"),
          entry("GET /v1/statistics", STATISTICS),
          entry(
              "GET /v1/nodes",
              "slots whole, unowned whole, missing [text], held [text], " + page("Node")),
          entry("GET /v1/quarantined", page("Evidence")),
          entry("GET /v1/nursery", page("Nursery")),
          entry("POST /v1/jobs/verify", JOB),
          entry("POST /v1/jobs/backup", JOB),
          entry("GET /v1/jobs", page("Job")),
          entry("GET /v1/jobs/{job}", JOB),
          entry("POST /v1/jobs/{job}/stop", JOB),
          entry("GET /health/live", "status text"),
          entry("GET /health/ready", "status text"),
          entry("GET /v1/tasks", page("Task")),
          entry("POST /v1/tasks/claim", "items [Claim]"),
          entry("POST /v1/tasks/{claim}/heartbeat", "until text"),
          entry("POST /v1/tasks/{claim}/complete", REPLY),
          entry("POST /v1/tasks/{claim}/fail", REPLY),
          entry("POST /v1/tasks/{claim}/release", "released flag"),
          entry("GET /v1/workers", page("Worker")),
          entry("GET /v1/sessions", page("Session")),
          entry(
              "GET /v1/sessions/{session}",
              "...Session, "
                  + SESSION
                  + ", tree [Process], groups [Group], joins [SessionJoin], log [LogLine]"),
          entry("POST /v1/sessions/{session}/wake", "woken whole"),
          entry("POST /v1/sessions/{session}/pause", "paused flag"),
          entry("POST /v1/sessions/{session}/resume", "paused flag"),
          entry("POST /v1/sessions/{session}/kill", "killed whole"),
          entry("GET /v1/graphs", page("StoredEntry")),
          entry("GET /v1/rules", page("StoredEntry")),
          entry("PUT /v1/graphs", "...Entry"),
          entry("PUT /v1/rules", "...Entry"),
          entry("GET /v1/owned/sessions", page("OwnedSession")),
          entry("GET /v1/owned/processes", page("ListedProcess")),
          entry("GET /v1/owned/targets", page("Target")),
          entry(
              "GET /v1/owners/{owner}/sessions/{number}",
              "...OwnedSession, paused flag, "
                  + SESSION
                  + ", processes [OwnedProcess], processesMade whole, wakeUps [SentWakeUp]"),
          entry("GET /v1/owners/{owner}/sessions/{number}/log", page("text")),
          entry("GET /v1/audit", page("AuditEntry")),
          entry("POST /v1/audit/trim", "removed whole"));

  private Answers() {}

  private static String page(String item) {
    return "items [" + item + "], next text?";
  }

  /// Returns a row with the shape of its answer. Throws `IllegalStateException` if a JSON answer
  /// has none.
  static Route described(Route route) {
    if (!route.answer().type().equals(Route.JSON)) {
      return route;
    }
    String name = route.method() + " " + route.path();
    String fields = BY_ROUTE.get(name);
    if (fields == null) {
      throw new IllegalStateException(name + ": its answer is not described");
    }
    return route.withAnswer(SHAPES.of(fields));
  }
}
