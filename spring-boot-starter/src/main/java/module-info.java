/// An engine in a Spring Boot application.
@org.jspecify.annotations.NullMarked
module dev.damask.spring {
  requires static transitive org.jspecify;
  requires transitive dev.damask.typed;
  requires transitive spring.boot;
  requires transitive spring.boot.autoconfigure;
  requires transitive spring.context;
  requires transitive spring.beans;
  requires transitive spring.core;
  requires static com.fasterxml.jackson.annotation;
  requires static transitive jakarta.servlet;
  requires static transitive dev.damask.micrometer;
  requires static transitive dev.damask.server;
  requires static transitive dev.damask.store.postgres;
  requires static transitive micrometer.core;
  requires static spring.aop;
  requires static transitive spring.boot.health;
  requires static transitive spring.boot.test;
  requires static transitive spring.boot.test.autoconfigure;
  requires static spring.jdbc;
  requires static spring.security.core;
  requires static spring.security.web;
  requires static transitive spring.test;
  requires static transitive spring.tx;
  requires static transitive org.junit.jupiter.api;

  exports dev.damask.spring;
  exports dev.damask.spring.inspector;
  exports dev.damask.spring.test;
}
