package dev.damask.routes;

import dev.damask.api.ApiReply;
import dev.damask.api.Call;
import dev.damask.api.Caller;
import dev.damask.api.Desk;
import dev.damask.api.EventFeed;
import dev.damask.api.Problem;
import dev.damask.api.Route;
import dev.damask.api.Shares;
import dev.damask.json.JsonWriter;
import dev.damask.ops.CaseEvent;
import dev.damask.ops.CaseListeners;
import dev.damask.store.CaseRecord;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The routes with server-sent events. A stream ends when its token does or the server closes.
final class EventRoutes {
  /// How often a quiet stream sends a comment, so that both sides notice a dead connection.
  private static final long BEAT_MILLIS = 10_000;

  /// How often a case that another node may move is read again.
  private static final long POLL_MILLIS = 1_000;

  private static final int BATCH = 256;

  private final Desk desk;
  private final Shares open;

  EventRoutes(Desk desk) {
    this.desk = desk;
    this.open = new Shares("event streams are open", desk.site().streamsMax());
  }

  List<Route> routes() {
    return List.of(
        Route.get("/v1/cases/{case}/events", "Streams the revisions of a case, each once.")
            .answer(Route.EVENTS)
            .to(this::ofCase),
        Route.get("/v1/events", "Streams the changes of all cases, each at least once.")
            .answer(Route.EVENTS)
            .to(this::ofAll));
  }

  /// The place is taken when the stream begins: an answer that is not read has none.
  private ApiReply stream(Caller caller, ApiReply.Writer writer) {
    open.require(caller);
    return new ApiReply.Stream(
        Route.EVENTS,
        out -> {
          try {
            open.take(caller);
          } catch (Problem e) {
            return; // others began at the same time; the client comes again
          }
          try {
            writer.write(out);
          } finally {
            open.release(caller);
          }
        });
  }

  private boolean isOver(Call call) {
    return desk.events().isClosed() || !call.isStillValid().getAsBoolean();
  }

  /// Returns how many streams are open.
  int open() {
    return open.used();
  }

  private ApiReply ofCase(Call call) {
    CaseRecord record = call.theCase();
    long last = revision(call, record);
    return stream(call.caller(), out -> new CaseStream(call, record.caseId(), out).run(last));
  }

  /// The last revision that the client has seen; the present one if it has seen none.
  private long revision(Call call, CaseRecord record) {
    String text = call.header("last-event-id").orElse("");
    if (text.isEmpty()) {
      return record.revision() - 1;
    }
    try {
      long seen = Long.parseLong(text.strip());
      if (seen >= 0 && seen <= record.revision()) {
        if (seen < record.revision()
            && desk.engine().history(record.caseId()).oldest() > seen + 1) {
          throw new Problem(
              Problem.Kind.GONE, "revision " + (seen + 1) + " is no longer stored; read the case");
        }
        return seen;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw Problem.bad("Last-Event-ID must be a revision of the case");
  }

  /// The stream of one case.
  private final class CaseStream {
    private final Call call;
    private final String caseId;
    private final OutputStream out;

    CaseStream(Call call, String caseId, OutputStream out) {
      this.call = call;
      this.caseId = caseId;
      this.out = out;
    }

    void run(long after) throws IOException, InterruptedException {
      Semaphore changes = new Semaphore(0);
      CaseListeners.Subscription subscription =
          desk.engine().listen(caseId, _ -> changes.release());
      try {
        long sent = after;
        long quietSince = System.nanoTime();
        begin(out);
        while (!isOver(call)) {
          CaseRecord now = desk.find(call.caller(), caseId).orElse(null);
          if (now == null) {
            write(out, "", "removed", JsonWriter.object("id", caseId));
            return;
          }
          boolean isNew = sent < now.revision();
          for (long each = sent + 1; each <= now.revision(); each++) {
            write(out, String.valueOf(each), "revision", event(now, each));
          }
          sent = Math.max(sent, now.revision());
          if (isNew) {
            out.flush();
            quietSince = System.nanoTime();
          } else if (System.nanoTime() - quietSince > TimeUnit.MILLISECONDS.toNanos(BEAT_MILLIS)) {
            beat(out);
            quietSince = System.nanoTime();
          }
          if (changes.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
            changes.drainPermits();
          }
        }
      } finally {
        subscription.close();
      }
    }

    /// The status is known of the last revision only.
    private Map<String, @Nullable Object> event(CaseRecord now, long revision) {
      boolean isLast = revision == now.revision();
      return JsonWriter.object(
          "id",
          caseId,
          "workflow",
          now.workflow(),
          "revision",
          revision,
          "status",
          isLast ? now.status().name() : null);
    }
  }

  private ApiReply ofAll(Call call) {
    String text = call.header("last-event-id").orElse("").strip();
    if (!text.isEmpty()) {
      desk.events().require(text);
    }
    String after = text.isEmpty() ? desk.events().start() : text;
    return stream(call.caller(), out -> all(call, after, out));
  }

  private void all(Call call, String after, OutputStream out)
      throws IOException, InterruptedException {
    String seen = after;
    begin(out);
    while (!isOver(call)) {
      List<EventFeed.Event> found = desk.events().after(seen, BATCH, BEAT_MILLIS);
      if (found == null) {
        write(out, "", "gone", EventFeed.gone().json());
        out.flush();
        return;
      }
      boolean isQuiet = true;
      for (EventFeed.Event each : found) {
        seen = each.cursor();
        CaseEvent event = each.event();
        if (call.caller().sees(event.workflow())) {
          isQuiet = false;
          write(
              out,
              seen,
              "case",
              JsonWriter.object(
                  "id", event.caseId(),
                  "workflow", event.workflow(),
                  "status", event.status().name(),
                  "revision", event.revision()));
        }
      }
      if (isQuiet) {
        if (found.isEmpty()) {
          beat(out);
        }
      } else {
        out.flush();
      }
    }
  }

  private static void begin(OutputStream out) throws IOException {
    out.write("retry: 1000\n\n".getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static void beat(OutputStream out) throws IOException {
    out.write(":\n\n".getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  private static void write(
      OutputStream out, String id, String name, Map<String, @Nullable Object> data)
      throws IOException {
    String text =
        (id.isEmpty() ? "" : "id: " + id + "\n")
            + "event: "
            + name
            + "\ndata: "
            + JsonWriter.line(data)
            + "\n\n";
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }
}
