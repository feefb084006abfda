package dev.damask.intake;

import dev.damask.caller.CaseOptions;
import dev.damask.caller.CaseReply;
import dev.damask.caller.MigrationResult;
import dev.damask.caller.StaleRevisionException;
import dev.damask.caller.StartReply;
import dev.damask.cluster.CaseMessage;
import dev.damask.effect.Traceparent;
import dev.damask.event.Input;
import dev.damask.event.Mapping;
import dev.damask.event.Reply;
import dev.damask.program.Program;
import dev.damask.program.ProgramHash;
import dev.damask.store.MessageReply;
import dev.damask.store.RowChange;
import dev.damask.store.TableRow;
import dev.damask.task.EffectId;
import dev.damask.value.Bytes;
import dev.damask.value.Context;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Requests as messages to the node that owns a case, and back. The words here are stored in the
/// inbox of a cluster, see `docs/stored-words.md`.
public final class CaseMessages {
  static final String START = "start";
  private static final String SIGNAL = "signal";
  private static final String TRACED_SIGNAL = "tracedSignal";
  private static final String CANCEL = "cancel";
  private static final String COMPLETE_SCOPE = "completeScope";
  private static final String ADD_INSTANCE = "addInstance";
  private static final String CLOSE_INSTANCES = "closeInstances";
  private static final String WAKE = "wake";
  private static final String COMPLETE = "complete";
  private static final String FAIL = "fail";
  private static final String DECIDE = "decide";
  private static final String WITHDRAW = "withdraw";
  private static final String RETRY_TASK = "retryTask";
  private static final String SKIP_TASK = "skipTask";
  private static final String GIVE_UP_TASK = "giveUpTask";
  private static final String LOSE_TASK = "loseTask";
  private static final String MIGRATE = "migrate";
  private static final String RETRY = "retry";
  private static final String SALVAGE = "salvage";
  private static final String INDEX = "index";
  static final String REPORT = "report";

  private static final int REFUSED = Reply.REJECTED.number();

  /// What the node knows that applies messages.
  public interface Knowledge {
    /// Returns a program by its hash; null if the node lacks it.
    @Nullable Program program(ProgramHash hash);

    /// Returns the program that was registered last under a name; null if the node lacks it.
    @Nullable Program named(String workflow);

    /// Returns the pending task that an address means.
    Optional<EffectId> task(String caseId, String address);

    /// Returns the time in milliseconds since 1970.
    long millis();
  }

  private final Knowledge node;

  public CaseMessages(Knowledge node) {
    this.node = node;
  }

  /// Returns requests of inputs, which need no knowledge but the time.
  public static CaseMessages ofInputs(LongSupplier millis) {
    return new CaseMessages(
        new Knowledge() {
          @Override
          public @Nullable Program program(ProgramHash hash) {
            return null;
          }

          @Override
          public @Nullable Program named(String workflow) {
            return null;
          }

          @Override
          public Optional<EffectId> task(String caseId, String address) {
            return Optional.empty();
          }

          @Override
          public long millis() {
            return millis.getAsLong();
          }
        });
  }

  /// A message that this node cannot apply now. It stays in the inbox.
  public static final class NotYet extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public NotYet(String why) {
      super(why);
    }
  }

  /// Returns the message of a request, or null if the request is only for the shards of one node.
  public static @Nullable CaseMessage of(Request request, String messageId) {
    return switch (request) {
      case Request.Start start ->
          message(start, messageId, START, start.program().name(), start(start));
      case Request.Feed(_, Input.Signal(var place, var payload), var own, var parent, _)
          when parent != null ->
          message(
              request,
              own == null ? messageId : own,
              TRACED_SIGNAL,
              place,
              Context.of("payload", payload.toMap(), "traceparent", parent));
      case Request.Feed(_, var input, var own, _, _) ->
          input(request, own == null ? messageId : own, input);
      case Request.Answer(_, var effect, var verdict, var claim, _) -> {
        Context body = Context.of("effect", effect.lineage());
        body = claim == null ? body : body.with("claim", claim);
        yield switch (verdict) {
          case Request.Verdict.Done(var result) ->
              message(request, messageId, COMPLETE, "", body.with("result", result.toMap()));
          case Request.Verdict.Failed(var reason, var detail) ->
              message(
                  request, messageId, FAIL, "", body.with("reason", reason).with("detail", detail));
          case Request.Verdict.Decided(var approved, var by) ->
              message(
                  request, messageId, DECIDE, "", body.with("approved", approved).with("by", by));
          case Request.Verdict.Withdrawn() -> message(request, messageId, WITHDRAW, "", body);
          case Request.Verdict.Retried() -> message(request, messageId, RETRY_TASK, "", body);
          case Request.Verdict.Skipped(var result) ->
              message(request, messageId, SKIP_TASK, "", body.with("result", result.toMap()));
          case Request.Verdict.GivenUp(var reason) ->
              message(request, messageId, GIVE_UP_TASK, "", body.with("reason", reason));
          case Request.Verdict.Lost() -> message(request, messageId, LOSE_TASK, "", body);
        };
      }
      case Request.Migrate(_, var target, var mapping, _) ->
          message(
              request,
              messageId,
              MIGRATE,
              target.name(),
              Context.of("program", target.hash().toString())
                  .with("tasks", new TreeMap<>(mapping.tasks()))
                  .with("scopes", new TreeMap<>(mapping.scopes()))
                  .with("places", new TreeMap<>(mapping.places()))
                  .with("definitions", new TreeMap<>(mapping.definitions())));
      case Request.Index _ -> message(request, messageId, INDEX, "", Context.empty());
      case Request.Retry _ -> message(request, messageId, RETRY, "", Context.empty());
      case Request.Remove remove when remove.damagedOnly() ->
          message(request, messageId, SALVAGE, "", Context.empty());
      case Request.Report(var call, var result, _) ->
          message(request, messageId, REPORT, "", ReportMessages.body(call, result));
      case Request.PauseCase pause -> OperatorMessages.of(pause, messageId);
      case Request.ResumeCase resume -> OperatorMessages.of(resume, messageId);
      case Request.CopyCase copy -> OperatorMessages.of(copy, messageId);
      case Request.Remove remove -> OperatorMessages.of(remove, messageId);
      case Request.Rescan _,
          Request.Settle _,
          Request.Look _,
          Request.Inspect _,
          Request.Await _,
          Request.Shift _,
          Request.Scripted _,
          Request.Admit _,
          Request.Trial _,
          Request.Deliver _,
          Request.Received _,
          Request.Stored _,
          Request.GiveUp _ ->
          null;
    };
  }

  /// Whether the case itself remembers a message of this kind.
  public static boolean isInput(String kind) {
    return switch (kind) {
      case SIGNAL, TRACED_SIGNAL, CANCEL, COMPLETE_SCOPE, ADD_INSTANCE, CLOSE_INSTANCES, WAKE ->
          true;
      case OperatorMessages.CHANGE_DATA -> true;
      default -> false;
    };
  }

  private static CaseMessage message(
      Request request, String messageId, String kind, String name, Context body) {
    return new CaseMessage(request.caseId(), messageId, kind, name, body, false);
  }

  private static CaseMessage input(Request request, String messageId, Input input) {
    return switch (input) {
      case Input.Signal(var place, var payload) ->
          message(request, messageId, SIGNAL, place, payload);
      case Input.Kill(var name, var complete, var reason) ->
          message(
              request,
              messageId,
              complete ? COMPLETE_SCOPE : CANCEL,
              name,
              Context.of("reason", reason));
      case Input.AddInstance(var name, var item, var hasItem) ->
          message(
              request, messageId, ADD_INSTANCE, name, Context.of("item", item, "hasItem", hasItem));
      case Input.CloseInstances(var name) ->
          message(request, messageId, CLOSE_INSTANCES, name, Context.empty());
      case Input.Advance _ -> message(request, messageId, WAKE, "", Context.empty());
      case Input.ChangeData change -> OperatorMessages.of(request, messageId, change);
      case Input.TaskDone _,
          Input.TaskWants _,
          Input.TaskFailed _,
          Input.TaskParked _,
          Input.TaskRetried _,
          Input.TaskSent _,
          Input.ScriptStep _,
          Input.ScriptTake _,
          Input.CancelTask _,
          Input.Fail _ ->
          throw new IllegalStateException("not an input of a caller: " + input);
    };
  }

  private static Context start(Request.Start start) {
    List<@Nullable Object> rows = new ArrayList<>();
    for (RowChange change : start.rows()) {
      TableRow row = change.row();
      Map<String, @Nullable Object> written = new TreeMap<>();
      written.put("put", change instanceof RowChange.Put);
      written.put("kind", row.kind());
      written.put("key", row.key());
      written.put("version", row.version());
      written.put("value", row.value());
      written.put("index", row.indexKey());
      rows.add(written);
    }
    return Context.of("program", start.program().hash().toString())
        .with("context", start.context().toMap())
        .with("terms", CaseTerms.of(start.options(), 0).encode())
        .with("rows", rows);
  }

  /// Returns the request of a message. Throws [NotYet] if the message has to wait, and
  /// `IllegalArgumentException` if it makes no sense.
  public Request request(CaseMessage sent, CompletableFuture<Object> reply) {
    CaseMessage message = OperatorMessages.inner(sent);
    String id = message.caseId();
    Context body = message.body();
    CompletableFuture<CaseReply> answer = as(reply);
    return switch (message.kind()) {
      case START -> start(message, reply);
      case SIGNAL -> feed(message, new Input.Signal(message.name(), body), answer);
      case TRACED_SIGNAL ->
          new Request.Feed(
              id,
              new Input.Signal(message.name(), MessageBody.context(body, "payload")),
              messageId(message),
              Traceparent.require(MessageBody.text(body, "traceparent")),
              answer);
      case CANCEL, COMPLETE_SCOPE -> {
        String reason = body.get("reason") instanceof String text ? text : "";
        Replies.requireReason(reason);
        boolean completes = message.kind().equals(COMPLETE_SCOPE);
        yield feed(message, new Input.Kill(message.name(), completes, reason), answer);
      }
      case ADD_INSTANCE ->
          feed(
              message,
              new Input.AddInstance(
                  message.name(), body.get("item"), Boolean.TRUE.equals(body.get("hasItem"))),
              answer);
      case CLOSE_INSTANCES -> feed(message, new Input.CloseInstances(message.name()), answer);
      case WAKE -> feed(message, new Input.Advance(node.millis()), answer);
      case COMPLETE ->
          new Request.Answer(
              id,
              effect(message),
              new Request.Verdict.Done(
                  message.isPlain() ? body : MessageBody.context(body, "result")),
              claim(message),
              answer);
      case FAIL -> {
        String reason = MessageBody.text(body, "reason");
        Replies.requireReason(reason);
        String detail = body.get("detail") instanceof String text ? text : "";
        yield new Request.Answer(
            id,
            effect(message),
            new Request.Verdict.Failed(reason, detail),
            claim(message),
            answer);
      }
      case DECIDE ->
          new Request.Answer(
              id,
              effect(message),
              new Request.Verdict.Decided(
                  Boolean.TRUE.equals(body.get("approved")), MessageBody.text(body, "by")),
              answer);
      case WITHDRAW ->
          new Request.Answer(id, effect(message), new Request.Verdict.Withdrawn(), answer);
      case RETRY_TASK ->
          new Request.Answer(id, effect(message), new Request.Verdict.Retried(), answer);
      case SKIP_TASK ->
          new Request.Answer(
              id,
              effect(message),
              new Request.Verdict.Skipped(MessageBody.context(body, "result")),
              answer);
      case GIVE_UP_TASK ->
          new Request.Answer(
              id,
              effect(message),
              new Request.Verdict.GivenUp(MessageBody.text(body, "reason")),
              answer);
      case LOSE_TASK ->
          new Request.Answer(
              id, effect(message), new Request.Verdict.Lost(), claim(message), answer);
      case MIGRATE -> {
        Program target = message.isPlain() ? named(message) : program(body);
        yield new Request.Migrate(id, target, mapping(message), as(reply));
      }
      case RETRY -> new Request.Retry(id, answer);
      case SALVAGE -> new Request.Remove(id, 0, true, as(reply));
      case INDEX -> new Request.Index(id, as(reply));
      case REPORT -> ReportMessages.request(message, answer);
      default -> OperatorMessages.request(message, reply);
    };
  }

  /// Returns a future under the type of a request's reply.
  @SuppressWarnings("unchecked")
  static <T> CompletableFuture<T> as(CompletableFuture<Object> reply) {
    return (CompletableFuture<T>) (CompletableFuture<?>) reply;
  }

  static Request.Feed feed(CaseMessage message, Input input, CompletableFuture<CaseReply> reply) {
    return new Request.Feed(message.caseId(), input, messageId(message), reply);
  }

  /// Null if the sender specified none.
  private static @Nullable String messageId(CaseMessage message) {
    return message.messageId().isEmpty() ? null : message.messageId();
  }

  private Request.Start start(CaseMessage message, CompletableFuture<Object> reply) {
    Context body = message.body();
    if (message.isPlain()) {
      Replies.requireNewId(message.caseId(), List.of());
      Program program = named(message);
      Replies.requireSmall("case " + message.caseId(), body, program.limits());
      return new Request.Start(
          message.caseId(), program, body, CaseOptions.DEFAULT, List.of(), as(reply));
    }
    CaseOptions options = CaseTerms.decode((Bytes) MessageBody.require(body, "terms")).options();
    List<RowChange> rows = new ArrayList<>();
    for (Object each : (List<?>) MessageBody.require(body, "rows")) {
      Map<?, ?> written = (Map<?, ?>) each;
      TableRow row =
          new TableRow(
              (String) MessageBody.require(written, "kind"),
              (String) MessageBody.require(written, "key"),
              (Long) MessageBody.require(written, "version"),
              (Bytes) MessageBody.require(written, "value"),
              (String) MessageBody.require(written, "index"));
      rows.add(
          Boolean.TRUE.equals(written.get("put"))
              ? new RowChange.Put(row)
              : new RowChange.Remove(row));
    }
    Replies.requireNewId(message.caseId(), rows);
    return new Request.Start(
        message.caseId(),
        program(body),
        MessageBody.context(body, "context"),
        options,
        rows,
        as(reply));
  }

  /// The program that was registered last under the name in a message of an SQL function.
  private Program named(CaseMessage message) {
    Program program = node.named(message.name());
    if (program == null) {
      throw new NotYet("workflow " + message.name() + " is unknown to this node");
    }
    return program;
  }

  private Program program(Context body) {
    String hash = MessageBody.text(body, "program");
    Program program = node.program(ProgramHash.parse(hash));
    if (program == null) {
      throw new NotYet("program " + hash + " is missing on this node");
    }
    return program;
  }

  /// The claim of the worker that answers; null if no worker does.
  private static @Nullable String claim(CaseMessage message) {
    return !message.isPlain() && message.body().get("claim") instanceof String id ? id : null;
  }

  /// The task of an answer: by its id, or by an address in a message of an SQL function.
  private EffectId effect(CaseMessage message) {
    if (!message.isPlain()) {
      return new EffectId((Long) MessageBody.require(message.body(), "effect"));
    }
    return node.task(message.caseId(), message.name())
        .orElseThrow(() ->
            new IllegalArgumentException(
                "case %s has no pending task '%s'".formatted(message.caseId(), message.name())));
  }

  private static Mapping mapping(CaseMessage message) {
    return new Mapping(
        names(message, "tasks"),
        names(message, "scopes"),
        names(message, "places"),
        names(message, "definitions"));
  }

  /// An SQL function may leave names out that stay the same.
  private static SortedMap<String, String> names(CaseMessage message, String key) {
    SortedMap<String, String> names = new TreeMap<>();
    Object given = message.body().toMap().getOrDefault(key, Map.of());
    if (!(given instanceof Map<?, ?> pairs)) {
      throw new IllegalArgumentException(
          "case %s: '%s' must be an object of names, got %s"
              .formatted(message.caseId(), key, given));
    }
    pairs.forEach((before, after) -> names.put(String.valueOf(before), String.valueOf(after)));
    return names;
  }

  /// Returns the reply to a message, of what its request was answered with.
  public static MessageReply reply(Object value) {
    return switch (value) {
      case CaseReply(var kind, var revision) -> new MessageReply(kind.number(), revision, "");
      case StartReply(var kind, var revision) -> new MessageReply(kind.number(), revision, "");
      case MigrationResult.Moved(var revision) -> new MessageReply(0, revision, "");
      case MigrationResult.Refused(var reasons, var revision) ->
          new MessageReply(REFUSED, revision, String.join("\n", reasons));
      case Boolean done -> new MessageReply(done ? 1 : 0, 0, "");
      default -> throw new IllegalStateException("no message has this reply: " + value);
    };
  }

  /// Answers a request with the reply to its message.
  public static void answer(Request request, MessageReply reply) {
    switch (reply.answer()) {
      case MessageReply.BAD_ARGUMENT ->
          request.refuse(new IllegalArgumentException(reply.detail()));
      case MessageReply.BAD_STATE -> request.refuse(new IllegalStateException(reply.detail()));
      case MessageReply.STALE ->
          request.refuse(new StaleRevisionException(reply.detail(), reply.revision()));
      default -> {
        long revision = reply.revision();
        switch (request) {
          case Request.Start start -> start.reply().complete(startReply(reply));
          case Request.Feed feed -> feed.reply().complete(caseReply(reply));
          case Request.Answer answer -> answer.reply().complete(caseReply(reply));
          case Request.Retry retry -> retry.reply().complete(caseReply(reply));
          case Request.PauseCase pause -> pause.reply().complete(caseReply(reply));
          case Request.ResumeCase resume -> resume.reply().complete(caseReply(reply));
          case Request.CopyCase copy -> copy.reply().complete(startReply(reply));
          case Request.Remove remove -> remove.reply().complete(reply.answer() == 1);
          case Request.Index index -> index.reply().complete(reply.answer() == 1);
          case Request.Migrate migrate ->
              migrate
                  .reply()
                  .complete(
                      reply.answer() == REFUSED
                          ? new MigrationResult.Refused(reply.detail().lines().toList(), revision)
                          : new MigrationResult.Moved(revision));
          default -> {} // no sender waits for the reply to a report
        }
      }
    }
  }

  private static StartReply startReply(MessageReply reply) {
    return new StartReply(StartReply.Kind.byNumber().get(reply.answer()), reply.revision());
  }

  private static CaseReply caseReply(MessageReply reply) {
    return new CaseReply(Reply.byNumber().get(reply.answer()), reply.revision());
  }
}
