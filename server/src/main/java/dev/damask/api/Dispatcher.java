package dev.damask.api;

import dev.damask.caller.Actor;
import dev.damask.caller.StaleRevisionException;
import dev.damask.json.Json;
import dev.damask.json.JsonLimits;
import dev.damask.json.JsonProblem;
import dev.damask.json.JsonReader;
import dev.damask.json.Position;
import dev.damask.store.CaseRecord;
import dev.damask.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// The way of every request: route, token, rate, role, workflow, body, revision, idempotency key,
/// handler, redaction. Nothing reaches a handler that has not passed all of them.
public final class Dispatcher {
  /// The largest body of a request.
  public static final int BODY_MAX = 4 << 20;

  /// How much of a larger body is read before the answer.
  private static final int DRAINED_MAX = 2 << 20;

  private static final System.Logger LOG = System.getLogger(Dispatcher.class.getName());
  private static final Caller ANONYMOUS =
      new Caller("", Role.VIEWER, List.of(), List.of(), false, Optional.empty());
  private static final Json.Fields NO_BODY = new Json.Fields(Position.NONE, new LinkedHashMap<>());

  /// How many requests are answered at a time, without streams.
  private static final int REQUESTS_MAX = 2_048;

  private static final JsonLimits LIMITS =
      new JsonLimits(BODY_MAX, 64, 1 << 20, 1_024, 400, 1_000, 100_000);

  private final Desk desk;
  private final RouteTable table;
  private final RateLimit rates;
  private final RateLimit refusals;
  private final Shares inProgress = new Shares("requests are in progress", REQUESTS_MAX);
  private final IdempotencyKeys keys;
  private final AuditTrail trail;

  /// Creates the way to the routes of a table.
  public Dispatcher(Desk desk, RouteTable table, RateLimit rates, Audit audit) {
    this.desk = desk;
    this.table = table;
    this.rates = rates;
    this.refusals = rates.ofRefusals();
    this.keys = new IdempotencyKeys(desk.engine().requestKeys());
    this.trail = new AuditTrail(desk.engine(), audit);
  }

  /// What goes back to a client.
  ///
  /// @param reply with a JSON value that may be written as it is
  public record Answer(ApiReply reply, Map<String, String> headers) {}

  /// Answers a request. Never throws for anything that a request contains.
  public Answer answer(Exchange exchange) throws InterruptedException {
    Steps steps = new Steps(exchange);
    try (steps) {
      return steps.run();
    } catch (Problem e) {
      return steps.refused(e);
    } catch (IllegalArgumentException e) {
      return steps.refused(Problem.bad(sentence(e, "a value of the request is malformed")));
    } catch (IllegalStateException e) {
      return steps.refused(
          isClosed()
              ? new Problem(Problem.Kind.UNAVAILABLE, "the engine is closed")
              : new Problem(
                  Problem.Kind.CONFLICT, sentence(e, "the engine does not accept this now")));
    } catch (StoreException e) {
      LOG.log(System.Logger.Level.WARNING, "a request failed", e);
      return steps.refused(
          new Problem(
              Problem.Kind.UNAVAILABLE, "the store cannot be used now; see the server's log"));
    } catch (IOException e) {
      return steps.refused(Problem.bad("the body cannot be read"));
    } catch (RuntimeException e) {
      LOG.log(System.Logger.Level.ERROR, "a request failed", e);
      return steps.refused(
          new Problem(Problem.Kind.INTERNAL, "see the server's log; this is an error of Damask"));
    }
  }

  /// Returns the message of an exception that Damask has thrown at its door. Messages of libraries
  /// may name files and hosts; they are logged only.
  private static String sentence(RuntimeException e, String other) {
    StackTraceElement[] trace = e.getStackTrace();
    boolean isOwn = trace.length > 0 && trace[0].getClassName().startsWith("dev.damask.");
    if (!isOwn) {
      LOG.log(System.Logger.Level.WARNING, "a request was refused by a library", e);
    }
    return isOwn && e.getMessage() != null ? e.getMessage() : other;
  }

  private boolean isClosed() {
    try {
      var _ = desk.engine().requestKeys();
      return false;
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /// Logs a request that was refused before it was dispatched, such as one of another site.
  public void refused(Exchange exchange, Problem problem) {
    new Steps(exchange).audit(problem.kind().status() + " " + problem.kind().word());
  }

  /// Carries an interruption through a function.
  private static final class Interrupted extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final InterruptedException cause;

    Interrupted(InterruptedException cause) {
      super(cause);
      this.cause = cause;
    }
  }

  /// One request on its way.
  private final class Steps implements AutoCloseable {
    private final Exchange exchange;
    private Caller caller = ANONYMOUS;
    private @Nullable Route route;
    private String subject = "";
    private boolean isCounted;

    Steps(Exchange exchange) {
      this.exchange = exchange;
    }

    Answer run() throws IOException, InterruptedException {
      boolean isOpen = isAnonymous();
      if (!isOpen) {
        caller = authenticated();
        rates.take(caller.name());
        inProgress.take(caller);
        isCounted = true;
      }
      RouteTable.Match match =
          table
              .find(exchange.method(), exchange.path())
              .orElseThrow(() -> Problem.notFound("route", Call.shortened(exchange.path())));
      Route found = match.route();
      route = found;
      if (isOpen && found.body() != null) {
        refusals.require(address()); // a one-time code could be guessed
      }
      if (!found.access().permits(caller.role())) {
        throw new Problem(
            Problem.Kind.FORBIDDEN,
            "this needs the role %s, the caller has %s"
                .formatted(found.access().word(), caller.role().word()));
      }
      CaseRecord record = reached(found, match.values());
      Map<String, String> query = known(found, RouteTable.query(exchange.query()));
      byte[] bytes = body(found);
      Json.Fields body = parsed(found, bytes);
      Call call =
          new Call(
              caller,
              match.values(),
              query,
              exchange.headers(),
              body,
              bytes,
              record,
              Optional.empty(),
              () -> exchange.sender().caller().isPresent());
      if (found.isChange()) {
        if (found.reach() != RouteReach.CASE && call.header("if-match").isPresent()) {
          throw Problem.bad("this address compares no revision; send it without If-Match");
        }
        return finished(found, keyed(found, call));
      }
      requireRevision(call);
      return finished(found, found.handler().handle(call));
    }

    @Override
    public void close() {
      if (isCounted) {
        inProgress.release(caller);
      }
    }

    private boolean isAnonymous() {
      try {
        return table
            .find(exchange.method(), exchange.path())
            .map(match -> match.route().access() == RouteAccess.ANONYMOUS)
            .orElse(false);
      } catch (Problem e) {
        return false; // reported to those who have a token
      }
    }

    /// A valid token is accepted however many others from its address were not: all clients of a
    /// proxy have one address.
    private Caller authenticated() {
      Sender sender = exchange.sender();
      return sender
          .caller()
          .orElseThrow(() -> new Problem(Problem.Kind.UNAUTHORISED, sender.advice()));
    }

    private String address() {
      return exchange.headers().getOrDefault(Exchange.ADDRESS, "");
    }

    private @Nullable CaseRecord reached(Route found, Map<String, String> values) {
      switch (found.reach()) {
        case NONE, FILTERED -> {}
        case WHOLE -> {
          if (!caller.seesAll()) {
            throw Problem.notFound("route", Call.shortened(exchange.path()));
          }
        }
        case WORKFLOW -> {
          subject = values.getOrDefault("workflow", "");
          boolean isNew = found.method().equals("PUT");
          if (!caller.sees(subject) || (!isNew && !desk.catalog().has(subject))) {
            throw Problem.notFound("workflow", Call.shortened(subject));
          }
        }
        case CASE -> {
          subject = values.getOrDefault("case", "");
          return desk.find(caller, subject)
              .orElseThrow(() -> Problem.notFound("case", Call.shortened(subject)));
        }
      }
      return null;
    }

    private Map<String, String> known(Route found, Map<String, String> query) {
      for (String name : query.keySet()) {
        if (found.query().stream().noneMatch(each -> each.name().equals(name))) {
          throw Problem.bad("unknown parameter '" + Call.shortened(name) + "'");
        }
      }
      return query;
    }

    private byte[] body(Route found) throws IOException {
      Route.Body wanted = found.body();
      if (wanted == null) {
        return new byte[0];
      }
      byte[] bytes;
      try (InputStream in = exchange.body().open()) {
        bytes = in.readNBytes(BODY_MAX + 1);
        if (bytes.length > BODY_MAX) {
          // A client that still writes would miss the answer; one that writes on loses it.
          var _ = in.readNBytes(DRAINED_MAX);
        }
      }
      if (bytes.length > BODY_MAX) {
        throw new Problem(Problem.Kind.TOO_LARGE, "a body has at most " + BODY_MAX + " bytes");
      }
      if (bytes.length > 0) {
        requireType(wanted);
      }
      return bytes;
    }

    private void requireType(Route.Body wanted) {
      String coding = exchange.headers().getOrDefault("content-encoding", "identity");
      if (!coding.equalsIgnoreCase("identity")) {
        throw new Problem(
            Problem.Kind.WRONG_TYPE, "a compressed body is not supported; send it as it is");
      }
      String type = exchange.headers().getOrDefault("content-type", "");
      String plain = type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
      boolean isYaml = wanted.type().equals(Route.YAML);
      boolean isFit =
          plain.equals(wanted.type())
              || (isYaml && (plain.equals("application/yaml") || plain.equals(Route.JSON)));
      if (!isFit) {
        throw new Problem(
            Problem.Kind.WRONG_TYPE,
            "the content type must be %s, got '%s'".formatted(wanted.type(), Call.shortened(type)));
      }
    }

    private Json.Fields parsed(Route found, byte[] bytes) {
      if (found.body() == null || found.body().shape() == null) {
        return NO_BODY;
      }
      try {
        Json json =
            bytes.length == 0 ? NO_BODY : new JsonReader(LIMITS).read(JsonReader.decode(bytes));
        String problem = found.body().shape().problem("", json);
        if (problem != null) {
          throw Problem.bad(problem);
        }
        return (Json.Fields) json;
      } catch (JsonProblem e) {
        throw new Problem(Problem.Kind.BAD_REQUEST, "the body is not fit: " + e.sentence())
            .with("place", e.at().toString());
      }
    }

    private void requireRevision(Call call) {
      CaseRecord record = call.record();
      long wanted = call.ifMatch().orElse(-1);
      if (record != null && wanted >= 0 && wanted != record.revision()) {
        throw new Problem(
                Problem.Kind.STALE,
                "the case has revision %d, the request requires %d"
                    .formatted(record.revision(), wanted))
            .with("revision", record.revision());
      }
    }

    private ApiReply keyed(Route found, Call call) throws InterruptedException {
      Optional<String> key = call.header("idempotency-key");
      if (key.isEmpty()) {
        return acting(found, call);
      }
      IdempotencyKeys.Keyed keyed =
          IdempotencyKeys.Keyed.of(caller, key.get(), exchange, call.bytes(), found.isRepeatable());
      return keys.once(
          keyed,
          value -> desk.redaction().seen(caller, value).value(),
          () -> acting(found, call.withOnceId(keyed.name())));
    }

    /// Handles a change under the caller's name: the engine's audit entry is in the commit.
    private ApiReply acting(Route found, Call call) throws InterruptedException {
      if (!found.isRepeatable()) {
        requireRevision(call); // the others are compared in their commit only
      }
      Actor named = Actor.named(caller.name()).because(call.text("reason").orElse(""));
      OptionalLong wanted = call.record() == null ? OptionalLong.empty() : call.ifMatch();
      Actor actor = wanted.isPresent() ? named.onlyAt(wanted.getAsLong()) : named;
      try {
        return desk.engine()
            .as(
                actor,
                _ -> {
                  try {
                    return found.handler().handle(call);
                  } catch (InterruptedException e) {
                    throw new Interrupted(e);
                  }
                });
      } catch (Interrupted e) {
        throw e.cause;
      } catch (StaleRevisionException e) {
        throw new Problem(Problem.Kind.STALE, String.valueOf(e.getMessage()))
            .with("revision", e.revision());
      }
    }

    private Answer finished(Route found, ApiReply reply) {
      Map<String, String> headers = new LinkedHashMap<>();
      ApiReply shown = reply;
      boolean isSensitive = false;
      if (reply instanceof ApiReply.Json(var status, var value, var more)) {
        headers.putAll(more);
        AnswerRedaction.Seen seen = desk.redaction().seen(caller, value);
        isSensitive = seen.hasRedacted() && caller.seesRedacted();
        shown = new ApiReply.Json(status, seen.value(), more);
      }
      boolean isExport =
          List.of("/raw", "/scenario", "/recording").stream().anyMatch(found.path()::endsWith);
      if (found.isChange() || isSensitive || isExport) {
        audit(String.valueOf(reply.status()));
      }
      return new Answer(shown, headers);
    }

    Answer refused(Problem given) {
      Problem problem = given;
      if (given.kind() == Problem.Kind.UNAUTHORISED) {
        try {
          refusals.take(address());
        } catch (Problem e) {
          problem = e;
        }
      }
      Problem.Kind kind = problem.kind();
      boolean isHidden = kind == Problem.Kind.NOT_FOUND && !caller.seesAll() && caller != ANONYMOUS;
      boolean isRefusal =
          isHidden
              || kind == Problem.Kind.UNAUTHORISED
              || kind == Problem.Kind.FORBIDDEN
              || kind == Problem.Kind.TOO_MANY;
      Route found = route;
      if (isRefusal || (found != null && found.isChange())) {
        audit(kind.status() + " " + kind.word());
      }
      Map<String, String> headers = new LinkedHashMap<>();
      if (kind == Problem.Kind.UNAUTHORISED && !exchange.sender().challenge().isEmpty()) {
        headers.put("www-authenticate", exchange.sender().challenge());
      }
      if (kind == Problem.Kind.WRONG_METHOD) {
        headers.put("allow", String.valueOf(problem.json().get("allow")));
      }
      if (kind == Problem.Kind.TOO_MANY) {
        headers.put("retry-after", "1");
      }
      if (kind == Problem.Kind.TIMED_OUT || kind == Problem.Kind.TOO_LARGE) {
        headers.put("connection", "close"); // the rest of the body is not read
      }
      return new Answer(new ApiReply.Json(kind.status(), problem.json(), headers), headers);
    }

    private void audit(String outcome) {
      Route found = route;
      String action =
          found == null
              ? exchange.method() + " " + Call.shortened(exchange.path())
              : found.method() + " " + found.path();
      trail.write(
          new Audit.Entry(desk.clock().instant(), caller.name(), action, subject, outcome),
          found != null && found.isChange() && isInCommit(found, outcome));
    }

    /// Whether the engine has written an entry in the commit of the change.
    private boolean isInCommit(Route found, String outcome) {
      boolean isOfCases =
          found.reach() == RouteReach.CASE
              || found.path().equals("/v1/cases")
              || found.path().startsWith("/v1/incidents/");
      return isOfCases && outcome.startsWith("2");
    }
  }
}
