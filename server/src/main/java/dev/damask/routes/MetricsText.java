package dev.damask.routes;

import dev.damask.api.Caller;
import dev.damask.api.Desk;
import dev.damask.ops.EffectFigures;
import dev.damask.ops.Latency;
import dev.damask.ops.Statistics;
import java.util.List;
import java.util.Locale;

/// The metrics of an engine in the text format of Prometheus. A token that is limited to some
/// workflows sees the counts of their cases only.
final class MetricsText {
  private final Desk desk;
  private final StringBuilder text = new StringBuilder();

  MetricsText(Desk desk) {
    this.desk = desk;
  }

  String of(Caller caller) {
    head("damask_cases", "gauge", "Cases by status, counted up to 1001.");
    SystemRoutes.counts(desk, caller)
        .forEach((status, count) ->
            line(
                "damask_cases{status=\"" + status.toLowerCase(Locale.ROOT) + "\"}",
                count instanceof Long whole ? whole : CaseListing.COUNTED_MAX + 1));
    if (!caller.seesAll()) {
      return text.toString();
    }
    Statistics now = desk.engine().statistics();
    counter("damask_cases_started_total", "Cases started.", now.started());
    counter("damask_cases_ended_total", "Cases ended.", now.ended());
    counter("damask_cases_removed_total", "Cases removed by retention.", now.removed());
    counter("damask_steps_total", "Steps of the machine.", now.steps());
    counter("damask_effects_total", "Calls of handlers.", now.effects());
    counter("damask_commits_total", "Durable revisions.", now.commits());
    counter("damask_syncs_total", "Batches that were made durable.", now.batches());
    counter("damask_commit_bytes_total", "Bytes of revisions.", now.bytes());
    counter("damask_slow_moves_total", "Moves over the budget.", now.slowMoves());
    counter("damask_shard_restarts_total", "Restarts of shards.", now.shardRestarts());
    gauge("damask_cases_resident", "Cases in memory.", now.resident());
    gauge("damask_inbox", "Inputs that wait.", now.inbox());
    gauge("damask_open_calls", "Effects that run or wait for their turn.", now.openCalls());
    gauge("damask_incidents", "Tasks that wait for an operator.", now.incidents());
    gauge("damask_waiting_for_permit", "Attempts that wait for a permit.", now.waitingForPermit());
    gauge("damask_cases_without_program", "Cases without a program.", now.casesWithoutProgram());
    Long bytes = StoreSize.of(desk.site().folder());
    if (bytes != null) {
      gauge("damask_store_bytes", "Bytes of the store's directory.", bytes);
    }
    latency(
        "damask_commit_seconds", "From the end of a round until it was durable.", now.committing());
    latency("damask_move_seconds", "How long cases kept the thread of their shard.", now.moving());
    latency("damask_cancel_seconds", "From a cancellation until it was durable.", now.cancelling());
    effects(now.byType());
    nodes();
    return text.toString();
  }

  private void nodes() {
    var nodes = desk.site().nodes().get();
    if (!nodes.isEmpty()) {
      head("damask_slots", "gauge", "Slots by node.");
      nodes.forEach(each -> line("damask_slots{node=\"" + each.id() + "\"}", each.slots()));
    }
  }

  private void counter(String name, String help, long value) {
    head(name, "counter", help);
    line(name, value);
  }

  private void gauge(String name, String help, long value) {
    head(name, "gauge", help);
    line(name, value);
  }

  private void latency(String name, String help, Latency latency) {
    head(name, "histogram", help);
    histogram(name, "", latency);
  }

  /// @param labels such as `type="http",`; empty for none
  private void histogram(String name, String labels, Latency latency) {
    for (Latency.Bucket each : latency.buckets()) {
      line(name + "_bucket{" + labels + "le=\"" + each.upToNanos() / 1e9 + "\"}", each.count());
    }
    line(name + "_bucket{" + labels + "le=\"+Inf\"}", latency.count());
    String own = labels.isEmpty() ? "" : "{" + labels.substring(0, labels.length() - 1) + "}";
    line(name + "_sum" + own, latency.sumMicros() / 1e6);
    line(name + "_count" + own, latency.count());
  }

  private void effects(List<EffectFigures> byType) {
    if (byType.isEmpty()) {
      return;
    }
    head("damask_effect_failures_total", "counter", "Handler calls that failed, by effect type.");
    byType.forEach(
        each -> line("damask_effect_failures_total{" + label(each.type()) + "}", each.failed()));
    head("damask_effect_seconds", "histogram", "How long handlers ran, by effect type.");
    byType.forEach(
        each -> histogram("damask_effect_seconds", label(each.type()) + ",", each.duration()));
  }

  private static String label(String type) {
    String escaped = type.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    return "type=\"" + escaped + "\"";
  }

  private void head(String name, String type, String help) {
    text.append("# HELP ").append(name).append(' ').append(help).append('\n');
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
  }

  private void line(String name, long value) {
    text.append(name).append(' ').append(value).append('\n');
  }

  private void line(String name, double value) {
    text.append(name).append(' ').append(value).append('\n');
  }
}
