package dev.damask.benchmarks;

import dev.damask.attribute.AttributeValue;
import dev.damask.attribute.CaseFacts;
import dev.damask.attribute.Match;
import dev.damask.store.CaseCommit;
import dev.damask.store.CasePage;
import dev.damask.store.CaseQuery;
import dev.damask.store.CaseRecord;
import dev.damask.store.CaseStatus;
import dev.damask.store.CommitBatch;
import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.rocksdb.RocksStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;

/// Measures queries by attributes on a store with many cases. Arguments: the number of cases, by
/// default 1,000,000, and a directory for RocksDB, or `memory`.
///
/// Every case has three attributes: a customer, of which each has 50 cases, one of two regions, and
/// a price.
public final class QueryFigures {
  private static final int BATCH = 2_000;
  private static final int PER_CUSTOMER = 50;
  private static final int ROUNDS = 400;
  private static final long STARTED = 1_700_000_000_000L;

  private QueryFigures() {}

  public static void main(String[] args) throws Exception {
    int cases = args.length > 0 ? Integer.parseInt(args[0]) : 1_000_000;
    boolean isMemory = args.length > 1 && args[1].equals("memory");
    Path folder =
        args.length > 1 && !isMemory ? Path.of(args[1]) : Files.createTempDirectory("queries");
    try (Store store = isMemory ? new MemoryStore() : RocksStore.open(folder)) {
      long begin = System.nanoTime();
      write(store, cases);
      System.out.printf("%,d cases written in %.1f s%n", cases, seconds(begin));
      measure(store, cases);
    }
  }

  private static void measure(Store store, int cases) {
    int customers = Math.max(1, cases / PER_CUSTOMER);
    time(store, "customer = 'c…'", 50, i -> CaseQuery.where("customer", "c" + i % customers));
    time(
        store,
        "customer = 'c…' and region = 'eu'",
        50,
        i -> CaseQuery.where("customer", "c" + i % customers).and("region", "eu"));
    time(
        store,
        "region = 'eu' and status = running (none)",
        50,
        i -> CaseQuery.where("region", "eu").withStatus(CaseStatus.RUNNING));
    time(
        store,
        "region = 'eu' and price > 999.9…",
        50,
        i -> CaseQuery.where("region", "eu").and("price", Match.above(999.9 + i % 90 / 1_000.0)));
    time(store, "waitingFor = ship (all), first 50", 50, i -> CaseQuery.ALL.waitingFor("ship"));
    time(
        store,
        "status = waiting, without conditions, first 50",
        50,
        i -> CaseQuery.ALL.withStatus(CaseStatus.WAITING));
  }

  private static void time(Store store, String name, int limit, IntFunction<CaseQuery> query) {
    double[] millis = new double[ROUNDS];
    int found = 0;
    Random random = new Random(1);
    for (int i = -ROUNDS / 4; i < ROUNDS; i++) {
      CaseQuery asked = query.apply(random.nextInt(1 << 30)).withPage("", limit);
      long begin = System.nanoTime();
      CasePage page = store.list(asked);
      if (i >= 0) {
        millis[i] = (System.nanoTime() - begin) / 1e6;
        found += page.cases().size();
      }
    }
    Arrays.sort(millis);
    System.out.printf(
        "%-48s %5.1f cases, median %.2f ms, 99th percentile %.2f ms, maximum %.2f ms%n",
        name,
        (double) found / ROUNDS,
        millis[ROUNDS / 2],
        millis[ROUNDS * 99 / 100],
        millis[ROUNDS - 1]);
  }

  private static double seconds(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }

  private static void write(Store store, int cases) {
    Random random = new Random(7);
    List<CaseCommit> batch = new ArrayList<>();
    for (int i = 0; i < cases; i++) {
      CaseRecord record = record(store.epoch(), i, cases, random);
      batch.add(
          new CaseCommit(
              record, List.of(), List.of(), List.of(), List.of(), List.of(), new byte[0]));
      if (batch.size() == BATCH || i == cases - 1) {
        store.commit(new CommitBatch(batch)).join();
        batch.clear();
      }
    }
  }

  private static CaseRecord record(long epoch, int number, int cases, Random random) {
    SortedMap<String, AttributeValue> attributes = new TreeMap<>();
    int customers = Math.max(1, cases / PER_CUSTOMER);
    attributes.put("customer", AttributeValue.of("c" + number % customers));
    attributes.put("region", AttributeValue.of(random.nextBoolean() ? "eu" : "us"));
    attributes.put("price", AttributeValue.of(random.nextInt(1_000_000) / 1_000.0));
    return CaseRecord.of("order-" + number, 1, epoch, CaseStatus.WAITING, "order")
        .withTimes(STARTED + number, STARTED + number, CaseRecord.NEVER)
        .withState(new byte[64])
        .withFacts(new CaseFacts(attributes, new TreeMap<>(), List.of("ship")));
  }
}
