package dev.damask.spring;

import dev.damask.store.MemoryStore;
import dev.damask.store.Store;
import dev.damask.store.StoreException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;

/// A store in memory whose disk can be taken away.
final class BreakingStore {
  private final MemoryStore memory = new MemoryStore();
  private volatile boolean isBroken; // written by the test, read by the engine

  void breakDown() {
    isBroken = true;
  }

  Store store() {
    return (Store)
        Proxy.newProxyInstance(
            Store.class.getClassLoader(),
            new Class<?>[] {Store.class},
            (_, method, arguments) -> {
              if (isBroken && method.getName().startsWith("commit")) {
                return CompletableFuture.failedFuture(new StoreException("the disk is gone"));
              }
              try {
                return method.invoke(memory, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
