package dev.damask.database;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Advisory locks of transactions: shared and exclusive, granted in the order of the requests.
///
/// A request waits while it conflicts with a holder or with an earlier request that waits.
final class AdvisoryLocks {
  /// A key of either of the two spaces.
  ///
  /// @param space 1 for keys of 64 bits, 2 for pairs of 32 bits
  record Key(int space, long first, long second) implements Comparable<Key> {
    @Override
    public int compareTo(Key other) {
      int bySpace = Integer.compare(space, other.space);
      int byFirst = bySpace != 0 ? bySpace : Long.compare(first, other.first);
      return byFirst != 0 ? byFirst : Long.compare(second, other.second);
    }
  }

  /// A request.
  static final class Request {
    final Backend backend;
    final boolean isShared;
    boolean isGranted;

    Request(Backend backend, boolean isShared) {
      this.backend = backend;
      this.isShared = isShared;
    }

    boolean conflicts(Request other) {
      return backend != other.backend && !(isShared && other.isShared);
    }
  }

  private final Map<Key, List<Request>> requests = new TreeMap<>();

  Request request(Key key, Backend backend, boolean isShared) {
    Request request = new Request(backend, isShared);
    List<Request> all = requests.computeIfAbsent(key, _ -> new ArrayList<>());
    boolean holds = all.stream().anyMatch(each -> each.backend == backend && each.isGranted);
    request.isGranted =
        all.stream().noneMatch(each -> (each.isGranted || !holds) && request.conflicts(each));
    all.add(request);
    return request;
  }

  void remove(Key key, Request request) {
    List<Request> all = requests.get(key);
    if (all != null) {
      all.remove(request);
      grant(all);
    }
  }

  void removeAll(Backend backend) {
    Iterator<List<Request>> each = requests.values().iterator();
    while (each.hasNext()) {
      List<Request> all = each.next();
      if (all.removeIf(request -> request.backend == backend)) {
        grant(all);
      }
      if (all.isEmpty()) {
        each.remove();
      }
    }
  }

  private static void grant(List<Request> all) {
    for (int i = 0; i < all.size(); i++) {
      Request request = all.get(i);
      if (!request.isGranted) {
        boolean isFree = true;
        for (int j = 0; j < all.size() && isFree; j++) {
          Request other = all.get(j);
          isFree = !((other.isGranted || j < i) && request.conflicts(other));
        }
        request.isGranted = isFree;
      }
    }
  }

  /// Returns the backends that a request waits for.
  List<Backend> blockers(Key key, Request request) {
    List<Backend> blockers = new ArrayList<>();
    boolean isBefore = true;
    for (Request each : requests.getOrDefault(key, List.of())) {
      isBefore &= each != request;
      if ((each.isGranted || isBefore) && request.conflicts(each)) {
        blockers.add(each.backend);
      }
    }
    return blockers;
  }

  Map<Key, Collection<Request>> all() {
    return new LinkedHashMap<>(requests);
  }
}
