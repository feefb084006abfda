package dev.damask.benchmarks;

import java.util.List;
import java.util.Locale;

/// Computes how many nodes, how much disk and how much network a load needs, from the constants in
/// `docs/scaling.md`.
///
/// Arguments: cases per day, effect steps per case, bytes of payload per step, days that a case
/// waits, days that ended cases are kept, and how many times the mean rate the peak is.
public final class ScalingSheet {
  /// The constants that `ClusterFigures` measures.
  ///
  /// @param stepsPerNode durable effect steps per second of one node with many callers
  /// @param stepsPerPrimary durable effect steps per second of one primary
  /// @param diskPerStep bytes of tables and indexes per step with a small payload
  /// @param walPerStep bytes of write-ahead log per step with a small payload
  /// @param diskPerWaiting bytes of a case that waits
  record Constants(
      double stepsPerNode,
      double stepsPerPrimary,
      double diskPerStep,
      double walPerStep,
      double diskPerWaiting) {}

  /// A load.
  ///
  /// @param peak how many times the mean rate the highest rate is
  record Load(
      double casesPerDay,
      double steps,
      double payload,
      double waitingDays,
      double keptDays,
      double peak) {
    static Load parse(String... words) {
      if (words.length != 6) {
        throw new IllegalArgumentException(
            "expected CASES_PER_DAY STEPS PAYLOAD_BYTES WAITING_DAYS KEPT_DAYS PEAK, got "
                + words.length
                + " arguments");
      }
      double[] all = new double[words.length];
      for (int i = 0; i < all.length; i++) {
        all[i] = Double.parseDouble(words[i]);
        if (!(all[i] >= 0)) {
          throw new IllegalArgumentException("'" + words[i] + "': must not be negative");
        }
      }
      return new Load(all[0], all[1], all[2], all[3], all[4], all[5]);
    }
  }

  /// What a load needs.
  ///
  /// @param stepsPerSecond at the peak
  /// @param nodes one more than the peak needs, so that one may fail
  /// @param primaryShare the part of one primary that the peak uses
  record Need(
      double stepsPerSecond,
      long nodes,
      double primaryShare,
      double diskBytes,
      double walBytesPerDay,
      double networkBytesPerSecond) {}

  /// Measured under load on two cores; see `docs/scaling.md`.
  static final Constants MEASURED = new Constants(1_473, 1_473, 1_330, 2_278, 962);

  /// A payload is stored in the receipt and in the journal or the state.
  private static final double PAYLOAD_COPIES = 2;

  private static final double SECONDS_PER_DAY = 86_400;

  private ScalingSheet() {}

  public static void main(String[] arguments) {
    lines(need(Load.parse(arguments), MEASURED)).forEach(System.out::println);
  }

  static Need need(Load load, Constants measured) {
    double perDay = load.casesPerDay() * load.steps();
    double rate = perDay / SECONDS_PER_DAY * load.peak();
    double payload = PAYLOAD_COPIES * load.payload();
    double steps = perDay * (load.waitingDays() + load.keptDays());
    double waiting = load.casesPerDay() * load.waitingDays();
    double wal = measured.walPerStep() + payload;
    return new Need(
        rate,
        (long) Math.ceil(rate / measured.stepsPerNode()) + 1,
        rate / measured.stepsPerPrimary(),
        steps * (measured.diskPerStep() + payload) + waiting * measured.diskPerWaiting(),
        perDay * wal,
        rate * (wal + measured.diskPerStep() + payload));
  }

  static List<String> lines(Need need) {
    return List.of(
        line("effect steps per second at the peak", "%.1f", need.stepsPerSecond),
        line("nodes, with one that may fail", "%.0f", (double) need.nodes),
        line("share of one primary at the peak", "%.2f", need.primaryShare),
        line("disk of tables and indexes, GB", "%.1f", need.diskBytes / 1e9),
        line("write-ahead log per day, GB", "%.1f", need.walBytesPerDay / 1e9),
        line("network at the peak, MB per second", "%.2f", need.networkBytesPerSecond / 1e6));
  }

  private static String line(String what, String format, double value) {
    return "%-40s %s".formatted(what, String.format(Locale.ROOT, format, value));
  }
}
