/// The inspector on a path of a Spring Boot application, behind its security.
package dev.damask.spring.inspector;
